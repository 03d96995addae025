/*
pass one of a list
- tap: {label: Choose a fruit}
- tap: Cherry
- assert: Cherry
model fruit "c"
fail another one
- tap: {label: Choose a fruit}
- tap: Cherry
- assert: Banana
model fruit "c"
fail one that is disabled
- tap: {label: Choose a fruit}
- tap: Damson
pass searched
- tap: {label: Choose a fruit}
- input: ban
- tap: Banana
- assert: Banana
model fruit "b"
fail searched away
- tap: {label: Choose a fruit}
- input: ban
- tap: Cherry
pass a tag is removed
- tap: {label: "Remove item: Red", match: contains}
- assertNot: Red
model colours ["g"]
fail a tag that stays
- tap: {label: "Remove item: Red", match: contains}
- assertNot: Green
model colours ["g"]
*/
import Choices from 'choices.js';
import 'choices.js/public/assets/styles/choices.css';

show(`<div style="width:300px"><label for=f>Fruit</label><select id=f><option value="">Choose a fruit</option><option value=a>Apple</option><option value=b>Banana</option>
<option value=c>Cherry</option><option value=d disabled>Damson</option></select>
<label for=m>Colours</label><select id=m multiple><option value=r selected>Red</option><option value=g selected>Green</option><option value=b>Blue</option></select></div>`);
const f = new Choices('#f', {shouldSort: false, searchPlaceholderValue: 'Search'});
const m = new Choices('#m', {removeItemButton: true});
report(() => ({fruit: f.getValue(true), colours: m.getValue(true)}));
