/*
pass a file is given
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- assert: notes.txt
model files ["notes.txt"]
fail another name
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- assert: letter.txt
model files ["notes.txt"]
pass taken out again
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- assert: notes.txt
- tap: Remove
- assertNot: notes.txt
model files []
fail it is gone
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- tap: Remove
- assert: notes.txt
model files []
*/
import * as FilePond from 'filepond';
import 'filepond/dist/filepond.css';

show('<div style="width:300px"><input type=file id=f multiple></div>');
const p = FilePond.create(element('#f'), {});
report(() => ({files: p.getFiles().map(f => f.filename)}));
