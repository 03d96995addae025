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
pass one of a list
- tap: {label: City, type: combobox}
- tap: Bern
model city "be"
fail one that is disabled
- tap: {label: City, type: combobox}
- tap: Chur
pass a radio button
- tap: Large
- assert: {label: Large, checked: true}
model size "l"
fail a radio button that is not chosen
- tap: Large
- assert: {label: Small, checked: true}
model size "l"
pass details
- tap: More
- assert: All of it
model more true
fail details that are shut
- assert: All of it
pass a dialog
- tap: Open dialog
- tap: Understood
- waitStable: {timeoutMs: 3000}
- assertNot: Read this
model pressed "understood"
fail a button that is disabled
- tap: Cannot
*/
import '@shoelace-style/shoelace/dist/themes/light.css';
import '@shoelace-style/shoelace/dist/components/input/input.js';
import '@shoelace-style/shoelace/dist/components/checkbox/checkbox.js';
import '@shoelace-style/shoelace/dist/components/switch/switch.js';
import '@shoelace-style/shoelace/dist/components/select/select.js';
import '@shoelace-style/shoelace/dist/components/option/option.js';
import '@shoelace-style/shoelace/dist/components/radio-group/radio-group.js';
import '@shoelace-style/shoelace/dist/components/radio/radio.js';
import '@shoelace-style/shoelace/dist/components/details/details.js';
import '@shoelace-style/shoelace/dist/components/dialog/dialog.js';
import '@shoelace-style/shoelace/dist/components/button/button.js';

show(`<div style="width:400px;display:grid;gap:10px"><sl-input id=n label="First name"></sl-input><sl-checkbox id=a>I agree</sl-checkbox><sl-checkbox id=l disabled>Locked</sl-checkbox>
<sl-switch id=d>Dark</sl-switch><sl-select id=c label=City><sl-option value=ba>Basel</sl-option><sl-option value=be>Bern</sl-option><sl-option value=ch disabled>Chur</sl-option></sl-select>
<sl-radio-group id=s label=Size><sl-radio value=s>Small</sl-radio><sl-radio value=l>Large</sl-radio></sl-radio-group>
<sl-details id=m summary=More>All of it</sl-details><sl-button id=o onclick="element('#g').show()">Open dialog</sl-button><sl-button disabled onclick="pressed('cannot')">Cannot</sl-button>
<sl-dialog id=g label="Please">Read this<sl-button slot=footer variant=primary onclick="pressed('understood'); element('#g').hide()">Understood</sl-button></sl-dialog></div>`);
const get = id => element('#' + id);
report(() => ({name: get('n').value, agree: get('a').checked, locked: get('l').checked, dark: get('d').checked, city: get('c').value, size: get('s').value, more: get('m').open, pressed: presses()}));
