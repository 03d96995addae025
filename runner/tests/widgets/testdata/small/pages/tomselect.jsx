/*
pass one of a list
- tap: {label: Country, type: combobox}
- tap: Chile
- assert: Chile
model country "cl"
fail another one
- tap: {label: Country, type: combobox}
- tap: Chile
- assert: Brazil
model country "cl"
pass typed and chosen with a key
- tap: {label: Country, type: combobox}
- input: Bra
- assertNot: Chile
- press: enter
- assert: Brazil
model country "br"
fail one that is searched away
- tap: {label: Country, type: combobox}
- input: Bra
- assertNot: Chile
- tap: Chile
pass tags that are made
- tap: {label: Tags, type: combobox}
- input: urgent
- press: enter
- assert: urgent
model tags ["urgent"]
fail a tag of another name
- tap: {label: Tags, type: combobox}
- input: urgent
- press: enter
- assert: urgency
model tags ["urgent"]
fail a disabled one
- tap: {label: Country, type: combobox}
- tap: Denmark
*/
import TomSelect from 'tom-select';
import 'tom-select/dist/css/tom-select.css';

show(`<div style="width:300px"><label for=c>Country</label><select id=c><option value="">Pick a country</option><option value=ar>Argentina</option><option value=br>Brazil</option>
<option value=cl>Chile</option><option value=dk disabled>Denmark</option></select><p><label for=t>Tags</label><input id=t></p></div>`);
const c = new TomSelect('#c', {}), t = new TomSelect('#t', {create: true});
report(() => ({country: c.getValue(), tags: t.items}));
