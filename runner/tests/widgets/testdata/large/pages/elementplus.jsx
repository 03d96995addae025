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
- tap: {type: switch}
- assert: {type: switch, checked: true}
model dark true
fail a switch that is off
- assert: {type: switch, checked: true}
pass one of a list
- tap: {label: City, type: combobox}
- tap: Bern
- assert: Bern
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
pass stepped up
- tap: increase number
- tap: increase number
model guests 4
*/
import {createApp, h, reactive} from 'vue';
import {ElCheckbox, ElSwitch, ElSelect, ElOption, ElRadioGroup, ElRadio, ElInputNumber} from 'element-plus';
import 'element-plus/dist/index.css';

const s = reactive({agree: false, locked: false, dark: false, city: '', size: '', guests: 2});
const bind = name => ({modelValue: s[name], 'onUpdate:modelValue': v => { s[name] = v; }});
createApp({render: () => h('div', {style: 'width:400px;display:grid;gap:12px'}, [
  h(ElCheckbox, bind('agree'), () => 'I agree'), h(ElCheckbox, {...bind('locked'), disabled: true}, () => 'Locked'),
  h(ElSwitch, {...bind('dark'), 'aria-label': 'Dark'}),
  h('label', {for: 'c'}, 'City'), h(ElSelect, {...bind('city'), id: 'c', placeholder: 'Select a city'}, () => [h(ElOption, {value: 'ba', label: 'Basel'}), h(ElOption, {value: 'be', label: 'Bern'}), h(ElOption, {value: 'ch', label: 'Chur', disabled: true})]),
  h(ElRadioGroup, bind('size'), () => [h(ElRadio, {value: 's'}, () => 'Small'), h(ElRadio, {value: 'l'}, () => 'Large')]),
  h(ElInputNumber, {...bind('guests'), min: 1, max: 10}),
])}).mount('#app');
report(() => s);
