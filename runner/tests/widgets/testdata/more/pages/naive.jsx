/*
pass a text field
- tap: Your name
- input: Ada
model name "Ada"
pass a switch
- tap: {type: switch}
- assert: {type: switch, checked: true}
model on true
fail a switch that is off
- assert: {type: switch, checked: true}
pass a box
- tap: Agree
- assert: {label: Agree, checked: true}
model agree true
fail a disabled box
- tap: Never
pass one of a list
- tap: Pick a song
- tap: Yesterday
- assert: Yesterday
model song "y"
fail a disabled entry
- tap: Pick a song
- tap: Help
pass one of several
- tap: Monthly
- assert: {label: Monthly, checked: true}
- assert: {label: Yearly, checked: false}
model plan "m"
fail
- tap: Monthly
- assert: {label: Yearly, checked: true}
model plan "m"
pass a tab
- tap: Second
- assert: Pane two
- assertNot: Pane one
model tab "b"
fail
- tap: Second
- assert: Pane one
model tab "b"
pass a number
- input: {text: "7", into: {css: ".n-input-number input"}, replace: true}
- press: tab
model n 7
*/
import {createApp, h, reactive} from 'vue';
import {NInput, NSwitch, NCheckbox, NSelect, NRadioGroup, NRadio, NTabs, NTabPane, NInputNumber, NConfigProvider} from 'naive-ui';

const s = reactive({name: '', on: false, agree: false, never: false, song: null, plan: 'y', tab: 'a', n: 1}), put = k => v => { s[k] = v; };
createApp({render: () => h(NConfigProvider, {style: 'width:400px;display:flex;flex-direction:column;gap:10px'}, () => [
  h(NInput, {value: s.name, onUpdateValue: put('name'), placeholder: 'Your name'}),
  h('div', [h(NSwitch, {value: s.on, onUpdateValue: put('on')})]),
  h(NCheckbox, {checked: s.agree, onUpdateChecked: put('agree')}, () => 'Agree'), h(NCheckbox, {checked: s.never, disabled: true, onUpdateChecked: put('never')}, () => 'Never'),
  h(NSelect, {value: s.song, onUpdateValue: put('song'), placeholder: 'Pick a song', options: [{label: 'Yesterday', value: 'y'}, {label: 'Help', value: 'h', disabled: true}, {label: 'Something', value: 's'}]}),
  h(NRadioGroup, {value: s.plan, onUpdateValue: put('plan'), name: 'p'}, () => [h(NRadio, {value: 'm'}, () => 'Monthly'), h(NRadio, {value: 'y'}, () => 'Yearly')]),
  h(NTabs, {value: s.tab, onUpdateValue: put('tab')}, () => [h(NTabPane, {name: 'a', tab: 'First'}, () => 'Pane one'), h(NTabPane, {name: 'b', tab: 'Second'}, () => 'Pane two')]),
  h(NInputNumber, {value: s.n, onUpdateValue: put('n')}),
])}).mount('#app');
report(() => ({...s}));
