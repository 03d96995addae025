/*
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
- tap: Select a city
- tap: Bern
- assert: Bern
model city "Bern"
fail one that is not there
- tap: Select a city
- tap: Oslo
pass a number
- tap: Guests
- press: control+a
- input: "12"
- press: tab
model guests 12
pass a toggle
- tap: Muted
- assert: {label: Muted, checked: true}
model muted true
fail a toggle that is off
- assert: {label: Muted, checked: true}
*/
import {createApp, h, reactive} from 'vue';
import PrimeVue from 'primevue/config';
import Aura from '@primeuix/themes/aura';
import Checkbox from 'primevue/checkbox';
import ToggleSwitch from 'primevue/toggleswitch';
import Select from 'primevue/select';
import InputNumber from 'primevue/inputnumber';
import ToggleButton from 'primevue/togglebutton';

const s = reactive({agree: false, locked: false, dark: false, city: null, guests: 2, muted: false});
const bind = name => ({modelValue: s[name], 'onUpdate:modelValue': v => { s[name] = v; }});
const row = (...kids) => h('div', {style: 'margin:12px 0'}, kids);
createApp({render: () => h('div', {style: 'width:400px'}, [
  row(h(Checkbox, {...bind('agree'), inputId: 'a', binary: true}), h('label', {for: 'a'}, 'I agree')),
  row(h(Checkbox, {...bind('locked'), inputId: 'l', binary: true, disabled: true}), h('label', {for: 'l'}, 'Locked')),
  row(h(ToggleSwitch, {...bind('dark'), inputId: 'd'}), h('label', {for: 'd'}, 'Dark')),
  row(h(Select, {...bind('city'), options: ['Basel', 'Bern', 'Chur'], placeholder: 'Select a city'})),
  row(h('label', {for: 'g'}, 'Guests'), h(InputNumber, {...bind('guests'), inputId: 'g', min: 1, max: 20})),
  row(h(ToggleButton, {...bind('muted'), onLabel: 'Muted', offLabel: 'Muted'})),
])}).use(PrimeVue, {theme: {preset: Aura}}).mount('#app');
report(() => s);
