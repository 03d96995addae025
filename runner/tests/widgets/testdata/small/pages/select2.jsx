/*
pass one of a list
- tap: Pick a city
- tap: Bern
- assert: Bern
model city "be"
fail another one
- tap: Pick a city
- tap: Bern
- assert: Basel
model city "be"
pass searched
- tap: Pick a city
- input: bas
- tap: Basel
model city "ba"
fail searched away
- tap: Pick a city
- input: bas
- tap: Bern
fail one that is disabled
- tap: Pick a city
- tap: Chur
pass the list tells what is disabled
- tap: Pick a city
- assert: {label: Chur, enabled: false}
fail it is not enabled
- tap: Pick a city
- assert: {label: Chur, enabled: true}
pass the list tells what is chosen
- tap: Pick a city
- tap: Bern
- tap: {type: combobox, rightOf: City}
- assert: {label: Bern, type: option, selected: true}
model city "be"
fail what is not chosen
- tap: Pick a city
- tap: Bern
- tap: {type: combobox, rightOf: City}
- assert: {label: Basel, selected: true}
model city "be"
*/
import jQuery from 'jquery';
import select2 from 'select2';
import 'select2/dist/css/select2.css';

show(`<label for=c>City</label> <select id=c style="width:250px"><option></option><option value=ba>Basel</option><option value=be>Bern</option>
<option value=ch disabled>Chur</option></select>`);
select2(window, jQuery);
jQuery('#c').select2({placeholder: 'Pick a city'});
report(() => ({city: jQuery('#c').val()}));
