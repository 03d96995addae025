/*
pass what is typed stands there once
- tap: {css: .ck-editor__editable}
- input: Dear Ada
- assert: Dear Ada
model text "<p>Dear Ada</p>"
fail another text
- tap: {css: .ck-editor__editable}
- input: Dear Ada
- assert: Dear Bob
model text "<p>Dear Ada</p>"
pass bold by its button
- tap: {css: .ck-editor__editable}
- input: loud
- press: control+a
- tap: Bold
- assert: {label: Bold, checked: true}
model text "<p><strong>loud</strong></p>"
fail a button that was not pressed
- tap: {css: .ck-editor__editable}
- input: quiet
- assert: {label: Italic, checked: true}
model text "<p>quiet</p>"
pass replaced
- tap: {css: .ck-editor__editable}
- input: old
- press: control+a
- input: new
- assert: new
model text "<p>new</p>"
pass a heading from its list
- tap: {css: .ck-editor__editable}
- input: Title
- tap: {label: Paragraph, match: prefix, type: button}
- tap: Heading 1
model text "<h2>Title</h2>"
fail the placeholder is gone
- tap: {css: .ck-editor__editable}
- input: x
- assert: Type here
model text "<p>x</p>"
*/
import {ClassicEditor, Essentials, Paragraph, Bold, Italic, Heading} from 'ckeditor5';
import 'ckeditor5/ckeditor5.css';

show('<div style="width:600px"><div id=ed></div></div>');
ClassicEditor.create(element('#ed'), {licenseKey: 'GPL', plugins: [Essentials, Paragraph, Bold, Italic, Heading], placeholder: 'Type here',
  toolbar: ['undo', 'redo', '|', 'heading', 'bold', 'italic']}).then(editor => report(() => ({text: editor.getData()})));
