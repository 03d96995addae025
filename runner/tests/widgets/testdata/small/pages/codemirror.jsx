/*
pass what is typed stands there once
- tap: Code
- input: let a = 1
- assert: let a = 1
model text "let a = 1"
fail another text
- tap: Code
- input: let a = 1
- assert: let a = 2
model text "let a = 1"
pass brackets that the editor closes
- tap: Code
- input: f(1)
- assert: f(1)
model text "f(1)"
pass lines
- tap: Code
- input: "let a\nlet b"
- assert: let b
model text "let a\nlet b"
pass all is replaced
- tap: Code
- input: let a
- press: control+a
- input: var b
- assert: var b
model text "var b"
fail nothing of it is left
- tap: Code
- input: let a
- press: control+a
- input: var b
- assert: let a
model text "var b"
pass scroll to a line
- tap: Fill
- scrollTo: {label: line 400, in: {id: ed}}
- assert: line 400
model lines 500
fail a line that is not there
- tap: Fill
- assert: line 400
model lines 500
*/
import {basicSetup, EditorView} from 'codemirror';
import {javascript} from '@codemirror/lang-javascript';

show('<button id=fill>Fill</button><div id=ed style="width:500px;border:1px solid"></div>');
const view = new EditorView({parent: element('#ed'), extensions: [basicSetup, javascript(), EditorView.contentAttributes.of({'aria-label': 'Code'}),
  EditorView.theme({'&': {height: '200px'}, '.cm-scroller': {overflow: 'auto'}})]});
element('#fill').onclick = () => view.dispatch({changes: {from: 0, to: view.state.doc.length,
  insert: Array.from({length: 500}, (_, i) => 'line ' + (i + 1)).join('\n')}});
report(() => ({text: view.state.doc.lines > 100 ? '' : view.state.doc.toString(), lines: view.state.doc.lines > 100 ? view.state.doc.lines : 0}));
