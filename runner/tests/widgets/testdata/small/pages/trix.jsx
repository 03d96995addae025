/*
pass typed once
- tap: Body
- input: Hello there
- assert: Hello there
model text "Hello there"
fail something else
- tap: Body
- input: Hello there
- assert: Hello where
model text "Hello there"
pass a selection is replaced
- tap: Body
- input: old
- press: control+a
- input: new
model text "new"
pass lines
- tap: Body
- input: "One\nTwo"
model text "One|Two"
pass bold letters
- tap: Body
- tap: Bold
- input: loud
model text "loud"
model bold true
fail letters that are not
- tap: Body
- input: quiet
- assert: loud
model text "quiet"
*/
import 'trix';
import 'trix/dist/trix.css';

show('<trix-editor aria-label=Body input=x></trix-editor><input id=x type=hidden>');
const editor = element('trix-editor');
report(() => ({text: editor.editor ? editor.editor.getDocument().toString().trimEnd().replace(/\n/g, '|') : '', bold: /<strong>/.test(element('#x').value)}));
