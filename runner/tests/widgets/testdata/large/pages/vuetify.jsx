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
- tap: City
- tap: Bern
- assert: Bern
model city "Bern"
fail one that is not there
- tap: City
- tap: Oslo
pass a chip
- tap: Small
model size "s"
fail another chip
- tap: Small
- assert: {label: Large, selected: true}
model size "s"
*/
import {createApp, h, reactive} from 'vue';
import {createVuetify} from 'vuetify';
import {VApp, VTextField, VCheckbox, VSwitch, VSelect, VChipGroup, VChip} from 'vuetify/components';
import 'vuetify/styles';

const s = reactive({name: '', agree: false, locked: false, dark: false, city: null, size: null});
const bind = name => ({modelValue: s[name], 'onUpdate:modelValue': v => { s[name] = v; }});
createApp({render: () => h(VApp, () => h('div', {style: 'width:400px'}, [
  h(VTextField, {...bind('name'), label: 'First name'}), h(VCheckbox, {...bind('agree'), label: 'I agree'}), h(VCheckbox, {...bind('locked'), disabled: true, label: 'Locked'}),
  h(VSwitch, {...bind('dark'), label: 'Dark'}), h(VSelect, {...bind('city'), label: 'City', items: ['Basel', 'Bern', 'Chur']}),
  h(VChipGroup, bind('size'), () => [h(VChip, {value: 's'}, () => 'Small'), h(VChip, {value: 'l'}, () => 'Large')]),
]))}).use(createVuetify()).mount('#app');
report(() => s);
