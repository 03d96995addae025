/*
pass typed once, marks in pairs
- tap: {css: ".ace_content"}
- input: "f(a)"
model text "f(a)"
pass replaced as a whole
- tap: {css: ".ace_content"}
- input: old
- press: control+a
- input: new
model text "new"
fail what is not there
- tap: {css: ".ace_content"}
- input: old
- press: control+a
- input: new
- assert: {label: old, match: words}
model text "new"
pass two lines
- tap: {css: ".ace_content"}
- input: one
- press: enter
- input: two
- assert: {label: two, match: contains}
model text "one\ntwo"
pass taken back
- tap: {css: ".ace_content"}
- input: gone
- press: control+z
- assertNot: {label: gone, match: contains}
fail a line that was taken out by a key
- tap: {css: ".ace_content"}
- input: gone
- press: control+d
- assert: {label: gone, match: contains}
*/
show('<div id=e style="width:600px;height:160px;border:1px solid"></div>');
const s = document.createElement('script');
s.src = '/node_modules/ace-builds/src-min-noconflict/ace.js';
s.onload = () => {
  ace.config.set('basePath', '/node_modules/ace-builds/src-min-noconflict');
  const e = ace.edit('e', {useWorker: false});
  report(() => ({text: e.getValue()}));
};
document.head.append(s);
