/*
pass a date with its marks
- tap: Date
- input: "24122026"
- assertElement: {label: Date, value: 24/12/2026}
model date "24122026"
fail a day that there is not
- tap: Date
- input: "99122026"
model date "09091220"
pass money
- tap: Price
- input: "1234.5"
- press: tab
- assertElement: {label: Price, value: "1,234.50"}
model price "1234.50"
fail letters
- tap: Phone
- input: abcdef
pass a number of a telephone
- tap: Phone
- input: "5551234567"
- assertElement: {label: Phone, value: (555) 123-4567}
model phone "5551234567"
fail half of a number
- tap: Phone
- input: "555"
- press: tab
- assert: Complete
model phone "555"
pass all of it
- tap: Phone
- input: "5551234567"
- press: tab
- assert: Complete
model phone "5551234567"
*/
import Inputmask from 'inputmask/dist/inputmask.js';

show('<label>Date <input id=d></label><p><label>Price <input id=p></label><p><label>Phone <input id=t></label><p id=o></p>');
Inputmask({alias: 'datetime', inputFormat: 'dd/mm/yyyy', outputFormat: 'ddmmyyyy', autoUnmask: true}).mask(element('#d'));
Inputmask({alias: 'currency', autoUnmask: true}).mask(element('#p'));
Inputmask({mask: '(999) 999-9999', autoUnmask: true}).mask(element('#t'));
element('#t').onblur = () => { element('#o').textContent = element('#t').inputmask.isComplete() ? 'Complete' : 'Not complete'; };
const of = id => element(id).inputmask.unmaskedvalue();
report(() => ({date: of('#d'), price: of('#p'), phone: of('#t')}));
