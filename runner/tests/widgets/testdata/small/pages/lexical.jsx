/*
pass what is typed stands there once
- tap: Note
- input: Buy milk
- assert: Buy milk
model text "Buy milk"
fail another text
- tap: Note
- input: Buy milk
- assert: Buy bread
model text "Buy milk"
pass a selection is replaced
- tap: Note
- input: Buy milk
- press: control+a
- input: Call Bob
- assert: Call Bob
model text "Call Bob"
pass more is written behind it
- tap: Note
- input: Buy
- input: " milk"
- assert: Buy milk
model text "Buy milk"
fail the placeholder is gone once something is written
- tap: Note
- input: x
- assert: Enter a note
model text "x"
pass erase and write
- tap: Note
- input: wrong
- erase: {}
- input: right
- assert: right
model text "right"
*/
import {createEditor, $getRoot} from 'lexical';
import {registerRichText} from '@lexical/rich-text';
import {createEmptyHistoryState, registerHistory} from '@lexical/history';

show(`<div style="position:relative;width:400px"><div id=ed contenteditable role=textbox aria-label=Note style="border:1px solid;min-height:60px;padding:8px"></div>
<div id=ph style="position:absolute;left:8px;top:8px;color:#777;pointer-events:none">Enter a note</div></div>`);
const editor = createEditor({namespace: 'note', onError(e) { throw e; }});
editor.setRootElement(element('#ed'));
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
const text = () => editor.getEditorState().read(() => $getRoot().getTextContent());
editor.registerUpdateListener(() => { element('#ph').style.display = text() ? 'none' : ''; });
report(() => ({text: text()}));
