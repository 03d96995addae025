/*
pass typed once
- tap: Write here
- input: Hello there
- assert: Hello there
model text "Hello there"
fail something else
- tap: Write here
- input: Hello there
- assert: Hello where
model text "Hello there"
pass a selection is replaced
- tap: Write here
- input: old
- press: control+a
- input: new
model text "new"
pass lines
- tap: Write here
- input: "One\nTwo"
model text "One|Two"
fail what the editor refuses
- tap: Write here
- input: "12x34"
model text "1234"
pass its placeholder goes
- tap: Write here
- input: a
- assertNot: Write here
model text "a"
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {createEditor} from 'slate';
import {Slate, Editable, withReact} from 'slate-react';

let value = [{type: 'p', children: [{text: ''}]}];
function Page() {
  const [editor] = useState(() => withReact(createEditor()));
  const insert = editor.insertText;
  editor.insertText = text => { if (!/^x$/.test(text)) insert(text); };
  return <Slate editor={editor} initialValue={value} onChange={v => { value = v; }}><Editable placeholder="Write here" aria-label="Note" style={{padding: 10, border: '1px solid', width: 300}} /></Slate>;
}
createRoot(element('#app')).render(<Page />);
report(() => ({text: value.map(n => n.children.map(c => c.text).join('')).join('|')}));
