/*
pass a number
- tap: Telephone
- input: "2015550123"
model number "+12015550123"
fail a number that is not there
- tap: Telephone
- input: "2015550123"
- assert: "2015550124"
model number "+12015550123"
pass another country
- tap: {css: .iti__selected-country}
- input: Switz
- tap: {label: Switzerland, match: contains, type: option}
- tap: Telephone
- input: "791234567"
model number "+41791234567"
model country "ch"
fail a country that is searched away
- tap: {css: .iti__selected-country}
- input: Switz
- tap: {label: Germany, match: contains, type: option}
*/
import intlTelInput from 'intl-tel-input/intlTelInputWithUtils';
import 'intl-tel-input/dist/css/intlTelInput.css';

show('<label for=t>Telephone</label> <input id=t type=tel>');
const tel = intlTelInput(element('#t'), {initialCountry: 'us'});
report(() => ({number: tel.getNumber(), country: tel.getSelectedCountry().iso2}));
