/*
pass what is typed stands there once
- tap: Message
- input: Hello there
- assert: Hello there
model text "Hello there\n"
fail what is not typed does not
- tap: Message
- input: Hello there
- assert: Hello their
model text "Hello there\n"
pass two lines
- tap: Message
- input: "one\ntwo"
- assert: two
model text "one\ntwo\n"
pass a selection is replaced
- tap: Message
- input: old words
- press: control+a
- input: new
- assert: new
model text "new\n"
fail nothing of it is left
- tap: Message
- input: old words
- press: control+a
- input: new
- assert: {label: old, match: words}
model text "new\n"
pass bold by its button
- tap: Message
- input: loud
- press: control+a
- tap: bold
- assert: {label: bold, checked: true}
model text "loud\n"
model bold true
fail a button that was not pressed
- tap: Message
- input: quiet
- assert: {label: italic, checked: true}
model text "quiet\n"
pass the placeholder goes
- assert: Write something
- tap: Message
- input: Hello
- assertNot: Write something
model text "Hello\n"
fail the placeholder stays while it is empty
- tap: Message
- assertNot: Write something
pass erase empties it
- tap: Message
- input: Hello
- erase: {}
- assert: Write something
*/
import Quill from 'quill';
import 'quill/dist/quill.snow.css';

show('<div id=ed style="height:120px;width:500px"></div>');
const quill = new Quill('#ed', {theme: 'snow', placeholder: 'Write something'});
quill.root.setAttribute('aria-label', 'Message');
quill.root.setAttribute('role', 'textbox');
report(() => ({text: quill.getText(), bold: quill.getContents().ops.some(o => o.attributes && o.attributes.bold)}));
