/*
pass a file is added
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- assert: notes.txt
model files ["notes.txt"]
fail a file of another name
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- assert: plans.txt
model files ["notes.txt"]
pass it is removed
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- tap: Remove file
- assertNot: notes.txt
fail it is still there
- webUpload: {selector: "input[type=file]", files: [notes.txt]}
- assertNot: notes.txt
model files ["notes.txt"]
*/
import Dropzone from 'dropzone';
import 'dropzone/dist/dropzone.css';

show('<form id=d class=dropzone></form>');
const zone = new Dropzone('#d', {url: '/nowhere', autoProcessQueue: false, addRemoveLinks: true, hiddenInputContainer: '#d'});
report(() => ({files: zone.files.map(f => f.name)}));
