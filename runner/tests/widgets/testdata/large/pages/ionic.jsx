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
pass a toggle
- tap: Dark
- assert: {label: Dark, checked: true}
model dark true
fail a toggle that is off
- assert: {label: Dark, checked: true}
pass a box
- tap: I agree
- assert: {label: I agree, checked: true}
model agree true
fail a box that is disabled
- tap: Locked
pass one of a list
- tap: City
- tap: Bern
- tap: OK
- waitStable: {timeoutMs: 3000}
model city "be"
fail one that is not there
- tap: City
- tap: Oslo
pass a segment
- tap: Large
model size "l"
fail a segment that is not chosen
- tap: Large
- assert: {label: Small, selected: true}
model size "l"
*/
import {initialize} from '@ionic/core/components';
import {defineCustomElement as app} from '@ionic/core/components/ion-app.js';
import {defineCustomElement as input} from '@ionic/core/components/ion-input.js';
import {defineCustomElement as toggle} from '@ionic/core/components/ion-toggle.js';
import {defineCustomElement as checkbox} from '@ionic/core/components/ion-checkbox.js';
import {defineCustomElement as select} from '@ionic/core/components/ion-select.js';
import {defineCustomElement as option} from '@ionic/core/components/ion-select-option.js';
import {defineCustomElement as alert} from '@ionic/core/components/ion-alert.js';
import {defineCustomElement as segment} from '@ionic/core/components/ion-segment.js';
import {defineCustomElement as button} from '@ionic/core/components/ion-segment-button.js';
import {defineCustomElement as item} from '@ionic/core/components/ion-item.js';
import '@ionic/core/css/ionic.bundle.css';

initialize({mode: 'md'});
for (const define of [app, input, toggle, checkbox, select, option, alert, segment, button, item]) define();
show(`<ion-app style="padding:16px"><div style="width:400px"><ion-item><ion-input id=n label="First name"></ion-input></ion-item><ion-item><ion-toggle id=d>Dark</ion-toggle></ion-item>
<ion-item><ion-checkbox id=a>I agree</ion-checkbox></ion-item><ion-item><ion-checkbox id=l disabled>Locked</ion-checkbox></ion-item>
<ion-item><ion-select id=c label=City><ion-select-option value=ba>Basel</ion-select-option><ion-select-option value=be>Bern</ion-select-option></ion-select></ion-item>
<ion-segment id=s value=s><ion-segment-button value=s>Small</ion-segment-button><ion-segment-button value=l>Large</ion-segment-button></ion-segment></div></ion-app>`);
const get = id => element('#' + id);
report(() => ({name: get('n').value || '', dark: !!get('d').checked, agree: !!get('a').checked, locked: !!get('l').checked, city: get('c').value || '', size: get('s').value}));
