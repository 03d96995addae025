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
fail a read-only editor takes nothing
- tap: {css: "#ro .view-lines"}
- input: let a = 1
fail an empty read-only editor takes nothing
- tap: Empty
- tap: {css: "#ro .view-lines"}
- input: let a = 1
fail a read-only editor that types into a box takes nothing
- tap: {css: "#box .view-lines"}
- input: let a = 1
*/
import * as monaco from 'monaco-editor/editor/editor.main.js';

const size = 'style="width:600px;height:120px;border:1px solid"';
show('<button id=fill>Fill</button><button id=empty>Empty</button><div id=ed style="width:600px;height:200px;border:1px solid"></div>' +
  `<div id=ro ${size}></div><div id=box ${size}></div>`);
self.MonacoEnvironment = {getWorker: () => new Worker(URL.createObjectURL(new Blob([''])))};
const editor = monaco.editor.create(element('#ed'), {value: '', language: 'plaintext', minimap: {enabled: false}, ariaLabel: 'Source'});
element('#fill').onclick = () => editor.setValue(Array.from({length: 400}, (_, i) => 'line ' + (i + 1)).join('\n'));
const still = {value: 'const b = 2', language: 'plaintext', readOnly: true, minimap: {enabled: false}};
const ro = monaco.editor.create(element('#ro'), still), box = monaco.editor.create(element('#box'), {...still, editContext: false});
element('#empty').onclick = () => ro.setValue('');
report(() => { const m = editor.getModel(), many = m.getLineCount() > 100; return {text: many ? '' : m.getValue(), lines: many ? m.getLineCount() : 0}; });
