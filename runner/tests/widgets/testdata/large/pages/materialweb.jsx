/*
pass a text field
- tap: First name
- input: Ada
- assert: Ada
model name "Ada"
fail another text
- tap: First name
- input: Ada
- assert: Bob
model name "Ada"
pass a box
- tap: I agree
- assert: {label: I agree, checked: true}
model agree true
fail a box that is off
- assert: {label: I agree, checked: true}
fail a box that is disabled
- tap: Locked
pass a switch
- tap: Dark
- assert: {label: Dark, checked: true}
model dark true
fail a switch that is off
- assert: {label: Dark, checked: true}
pass one of a list
- tap: City
- tap: Bern
- assert: Bern
model city "be"
fail one that is not chosen
- tap: City
- tap: Bern
- waitStable: {timeoutMs: 3000}
- assert: Basel
model city "be"
pass a radio button
- tap: Large
- assert: {label: Large, checked: true}
model size "l"
fail a button that is disabled
- tap: Cannot
pass a chip
- tap: Vegan
- assert: {label: Vegan, checked: true}
model vegan true
*/
import '@material/web/textfield/outlined-text-field.js';
import '@material/web/checkbox/checkbox.js';
import '@material/web/switch/switch.js';
import '@material/web/select/outlined-select.js';
import '@material/web/select/select-option.js';
import '@material/web/radio/radio.js';
import '@material/web/button/filled-button.js';
import '@material/web/chips/chip-set.js';
import '@material/web/chips/filter-chip.js';

show(`<div style="width:400px;display:grid;gap:10px"><md-outlined-text-field id=n label="First name"></md-outlined-text-field>
<label><md-checkbox id=a></md-checkbox> I agree</label><label><md-checkbox id=l disabled></md-checkbox> Locked</label><label>Dark <md-switch id=d></md-switch></label>
<md-outlined-select id=c label=City><md-select-option value=ba><div slot=headline>Basel</div></md-select-option><md-select-option value=be><div slot=headline>Bern</div></md-select-option></md-outlined-select>
<div><md-radio id=s name=z value=s></md-radio><label for=s>Small</label> <md-radio id=g name=z value=l></md-radio><label for=g>Large</label></div>
<md-filled-button disabled onclick="pressed('cannot')">Cannot</md-filled-button><md-chip-set><md-filter-chip id=v label=Vegan></md-filter-chip></md-chip-set></div>`);
const get = id => element('#' + id);
report(() => ({name: get('n').value, agree: get('a').checked, locked: get('l').checked, dark: get('d').selected, city: get('c').value, size: get('g').checked ? 'l' : get('s').checked ? 's' : '', vegan: get('v').selected, pressed: presses()}));
