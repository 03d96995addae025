/*
pass what is typed stands there once
- tap: Letter
- input: Dear Ada
- assert: Dear Ada
model text "Dear Ada"
fail another text
- tap: Letter
- input: Dear Ada
- assert: Dear Bob
model text "Dear Ada"
pass paragraphs
- tap: Letter
- input: "one\ntwo"
- assert: two
model text "one\ntwo"
pass a word is replaced
- tap: Letter
- input: old
- doubleTap: old
- input: new
- assert: new
model text "new"
fail the old word is gone
- tap: Letter
- input: old
- doubleTap: old
- input: new
- assert: old
model text "new"
pass bold by its button
- tap: Letter
- input: loud
- press: control+a
- tap: Toggle strong style
model text "loud"
model strong true
fail nothing to undo
- tap: {label: Undo last change, match: prefix}
*/
import {EditorState} from 'prosemirror-state';
import {EditorView} from 'prosemirror-view';
import {schema} from 'prosemirror-schema-basic';
import {exampleSetup} from 'prosemirror-example-setup';
import 'prosemirror-view/style/prosemirror.css';
import 'prosemirror-example-setup/style/style.css';
import 'prosemirror-menu/style/menu.css';

show('<div id=ed style="width:600px;border:1px solid #ccc"></div>');
const view = new EditorView(element('#ed'), {
  state: EditorState.create({schema, plugins: exampleSetup({schema})}),
  attributes: {'aria-label': 'Letter', role: 'textbox', style: 'min-height:80px'},
});
report(() => {
  let strong = false;
  view.state.doc.descendants(n => { strong = strong || n.marks.some(m => m.type.name === 'strong'); });
  return {text: view.state.doc.textBetween(0, view.state.doc.content.size, '\n'), strong};
});
