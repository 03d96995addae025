/*
pass one of a list
- tap: Pick one
- tap: Brazil
- assert: Brazil
model one "br"
fail another one
- tap: Pick one
- tap: Brazil
- assert: Chile
model one "br"
pass searched
- tap: Pick one
- tap: Search...
- input: chi
- assertNot: Brazil
- tap: Chile
model one "cl"
fail a disabled one
- tap: Pick one
- tap: Denmark
pass several
- tap: Pick some
- tap: Red
- tap: Blue
- tap: Elsewhere
- assert: Red
- assert: Blue
model some ["r","b"]
fail one that was not chosen
- tap: Pick some
- tap: Red
- tap: Elsewhere
- assert: Blue
model some ["r"]
*/
import SlimSelect from 'slim-select';
import 'slim-select/styles';

show(`<div style="width:300px"><label for=a>Country</label><select id=a><option data-placeholder=true></option><option value=br>Brazil</option><option value=cl>Chile</option><option value=dk disabled>Denmark</option></select>
<p><select id=b multiple><option value=r>Red</option><option value=g>Green</option><option value=b>Blue</option></select></div><p style="position:absolute;left:500px;top:300px">Elsewhere</p>`);
const a = new SlimSelect({select: '#a', settings: {placeholderText: 'Pick one'}}), b = new SlimSelect({select: '#b', settings: {placeholderText: 'Pick some', closeOnSelect: false}});
report(() => ({one: a.getSelected()[0] || '', some: b.getSelected()}));
