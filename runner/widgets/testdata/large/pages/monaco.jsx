/*
pass what is typed stands there once
- tap: {css: "#ed .view-lines"}
- input: let a = 1
- assert: let a = 1
model text "let a = 1"
fail another text
- tap: {css: "#ed .view-lines"}
- input: let a = 1
- assert: let a = 2
model text "let a = 1"
pass all is replaced
- tap: {css: "#ed .view-lines"}
- input: let a = 1
- press: control+a
- input: var b = 2
- assert: var b = 2
model text "var b = 2"
fail nothing of it is left
- tap: {css: "#ed .view-lines"}
- input: let a = 1
- press: control+a
- input: var b = 2
- assert: let a = 1
model text "var b = 2"
pass lines
- tap: {css: "#ed .view-lines"}
- input: "one\ntwo"
- assert: two
model text "one\ntwo"
pass a far line
- tap: Fill
- scrollTo: {label: line 300, in: {id: ed}, timeoutMs: 25000}
- assert: line 300
model lines 400
*/
import * as monaco from 'monaco-editor/editor/editor.main.js';

show('<button id=fill>Fill</button><div id=ed style="width:600px;height:200px;border:1px solid"></div>');
self.MonacoEnvironment = {getWorker: () => new Worker(URL.createObjectURL(new Blob([''])))};
const editor = monaco.editor.create(element('#ed'), {value: '', language: 'plaintext', minimap: {enabled: false}, ariaLabel: 'Source'});
element('#fill').onclick = () => editor.setValue(Array.from({length: 400}, (_, i) => 'line ' + (i + 1)).join('\n'));
report(() => { const m = editor.getModel(), many = m.getLineCount() > 100; return {text: many ? '' : m.getValue(), lines: many ? m.getLineCount() : 0}; });
