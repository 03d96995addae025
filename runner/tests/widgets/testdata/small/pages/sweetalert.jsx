/*
pass a question and its answer
- tap: Delete
- assert: Are you sure?
- tap: Yes, delete it
- tap: OK
- assertNot: Are you sure?
model said "deleted"
pass it is taken back
- tap: Delete
- tap: Cancel
- assertNot: Are you sure?
model said "kept"
fail what lies behind it
- tap: Delete
- tap: {label: Rename, timeoutMs: 1000}
model asked 1
pass a text is asked for
- tap: Rename
- input: Plan B
- tap: Save
- assertNot: New name
model said "Plan B"
fail no text
- tap: Rename
- tap: Save
- assertNot: {label: New name, timeoutMs: 1500}
pass a note that goes by itself
- tap: Note
- assert: Saved
- assertNot: {label: Saved, timeoutMs: 9000}
fail a note that nobody asked for
- assert: Saved
*/
import Swal from 'sweetalert2';

let said = '', asked = 0;
show('<button id=d>Delete</button> <button id=r>Rename</button> <button id=n>Note</button>');
element('#d').onclick = async () => {
  asked++;
  const answer = await Swal.fire({title: 'Are you sure?', icon: 'warning', showCancelButton: true, confirmButtonText: 'Yes, delete it'});
  asked--;
  said = answer.isConfirmed ? 'deleted' : 'kept';
  if (answer.isConfirmed) Swal.fire('Gone');
};
element('#r').onclick = async () => {
  const answer = await Swal.fire({title: 'New name', input: 'text', confirmButtonText: 'Save', inputValidator: v => v ? '' : 'A name is needed'});
  if (answer.isConfirmed) said = answer.value;
};
element('#n').onclick = () => Swal.fire({toast: true, position: 'top-end', timer: 4000, showConfirmButton: false, title: 'Saved'});
report(() => ({said, asked}));
