/*
pass what is typed stands there once
- tap: {css: iframe}
- input: Dear Ada
- assert: Dear Ada
model text "Dear Ada"
fail another text
- tap: {css: iframe}
- input: Dear Ada
- assert: Dear Bob
model text "Dear Ada"
pass bold by its button
- tap: {css: iframe}
- input: loud
- press: control+a
- tap: Bold
- assert: {label: Bold, checked: true}
model text "loud"
model bold true
fail a button that was not pressed
- tap: {css: iframe}
- input: quiet
- assert: {label: Bold, checked: true}
model text "quiet"
pass replaced
- tap: {css: iframe}
- input: old
- press: control+a
- input: new
- assert: new
model text "new"
fail nothing of it is left
- tap: {css: iframe}
- input: old
- press: control+a
- input: new
- assert: old
model text "new"
*/
import tinymce from 'tinymce';
import 'tinymce/themes/silver';
import 'tinymce/models/dom';
import 'tinymce/icons/default';

show('<div style="width:600px"><textarea id=ed></textarea></div>');
tinymce.init({selector: '#ed', license_key: 'gpl', base_url: '/node_modules/tinymce', height: 250, menubar: false, toolbar: 'bold italic', statusbar: false, promotion: false})
  .then(([ed]) => report(() => ({text: ed.getContent({format: 'text'}), bold: /<strong>/.test(ed.getContent())})));
