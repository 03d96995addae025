/*
pass a phone number
- tap: Phone
- input: "5551234567"
- assert: (555) 123-4567
model phone "5551234567"
fail another number
- tap: Phone
- input: "5551234567"
- assert: (555) 123-4568
model phone "5551234567"
fail letters are not taken
- tap: Phone
- input: 555abc
model phone "555"
pass an amount
- tap: Amount
- input: "1234.5"
- assert: 1,234.5
model amount 1234.5
fail more than it may be
- tap: Amount
- input: "99999"
model amount 9999
pass a number once more
- tap: Phone
- input: "555"
- erase: {}
- input: "1234567890"
- assert: (123) 456-7890
model phone "1234567890"
*/
import IMask from 'imask';

show('<p><label>Phone <input id=p></label></p><p><label>Amount <input id=a></label></p>');
const p = IMask(element('#p'), {mask: '(000) 000-0000'});
const a = IMask(element('#a'), {mask: Number, thousandsSeparator: ',', radix: '.', max: 9999});
report(() => ({phone: p.unmaskedValue, amount: a.typedValue}));
