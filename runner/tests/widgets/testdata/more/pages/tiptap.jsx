/*
pass typed once
- tap: {css: ".tiptap"}
- input: Hello world
- assert: Hello world
model text "Hello world"
fail another text
- tap: {css: ".tiptap"}
- input: Hello world
- assert: Hello
model text "Hello world"
pass made bold by a key
- tap: {css: ".tiptap"}
- press: control+b
- input: Loud
model text "Loud"
model bold true
pass a list by its sign
- tap: {css: ".tiptap"}
- input: {text: "- ", verify: false}
- input: Milk
- press: enter
- input: Eggs
- assert: Milk
- assert: Eggs
model text "Milk Eggs"
model list true
pass replaced as a whole
- tap: {css: ".tiptap"}
- input: Old
- press: control+a
- input: New
model text "New"
fail what was replaced
- tap: {css: ".tiptap"}
- input: Old
- press: control+a
- input: New
- assert: {label: Old, match: contains}
model text "New"
pass taken back by a key
- tap: {css: ".tiptap"}
- input: Once
- press: control+z
- assertNot: Once
pass the button of the bar
- tap: {css: ".tiptap"}
- input: Title
- tap: Heading
- assert: {label: Heading, selected: true}
model text "Title"
model heading true
*/
import {Editor} from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';

show('<style>.tiptap{border:1px solid;min-height:120px;padding:4px}</style><button id=h aria-pressed=false>Heading</button><div id=e></div>');
const e = new Editor({element: element('#e'), extensions: [StarterKit], content: ''});
let bold = false;
element('#h').onclick = () => { e.chain().focus().toggleHeading({level: 2}).run(); };
e.on('transaction', () => { element('#h').ariaPressed = String(e.isActive('heading')); });
report(() => ({text: e.getText().trim().replace(/\n+/g, " "), bold: JSON.stringify(e.getJSON()).includes('"bold"'), list: JSON.stringify(e.getJSON()).includes('bulletList'), heading: e.isActive('heading')}));
