/*
pass a suggestion
- tap: City
- input: Be
- tap: Bern
- assert: Bern
model city "Bern"
fail a suggestion that is searched away
- tap: City
- input: Be
- tap: Zug
model city "Be"
pass a list of the kit's own
- tap: Slow
- tap: Fast
- assert: Fast
model speed "fast"
fail one of its items that is disabled
- tap: Slow
- tap: Faster
fail the list is closed
- assert: Faster
pass a day
- tap: Day
- tap: {label: "17", type: a}
model day "05/17/2024"
fail a day of another month
- tap: Day
- tap: "31"
- assert: {label: "Day", text: "05/17/2024"}
model day "05/31/2024"
pass another month
- tap: Day
- tap: Next
- tap: {label: "9", type: a}
model day "06/09/2024"
pass a dialog in front
- tap: Delete all
- tap: Yes
- assertNot: Really?
model pressed "ask yes"
fail what lies behind it
- tap: Delete all
- tap: {label: Delete all, timeoutMs: 1000}
model pressed "ask"
pass tabs
- tap: Second
- assert: Text of the second
- assertNot: Text of the first
fail a tab that is not shown
- assert: Text of the second
pass sections
- tap: Returns
- assert: Within thirty days
- assertNot: By mail
fail a section that is folded
- assert: Within thirty days
pass a number that is stepped
- tap: Count
- press: up
- press: up
model count 4
pass a switch drawn by its label
- tap: Gift wrap
- assert: {label: Gift wrap, checked: true}
model wrap true
fail it is off
- assert: {label: Gift wrap, checked: true}
fail a button of the kit that is disabled
- tap: {label: Archive, timeoutMs: 1000}
*/
import jQuery from 'jquery';
import 'jquery-ui/dist/themes/base/jquery-ui.css';

window.jQuery = window.$ = jQuery;
import('jquery-ui/dist/jquery-ui.js').then(() => {
  const $ = jQuery;
  show(`<div style="display:grid;gap:8px;width:360px"><label>City <input id=city></label><label>Day <input id=day></label><label>Count <input id=count value=2></label>
  <label for=speed>Speed</label><select id=speed><option value=slow>Slow</option><option value=fast>Fast</option><option value=faster disabled>Faster</option></select>
  <label for=wrap>Gift wrap</label><input type=checkbox id=wrap><span><button id=ask>Delete all</button> <button id=old>Archive</button></span></div>
  <div id=tabs style="width:360px"><ul><li><a href="#t1">First</a><li><a href="#t2">Second</a></ul><div id=t1>Text of the first</div><div id=t2>Text of the second</div></div>
  <div id=acc style="width:360px"><h3>Shipping</h3><div>By mail</div><h3>Returns</h3><div>Within thirty days</div></div><div id=dlg title="Really?">All of it goes.</div>`);
  $('#city').autocomplete({source: ['Basel', 'Bern', 'Zug']});
  $('#day').datepicker({defaultDate: new Date(2024, 4, 1), showAnim: ''});
  $('#count').spinner();
  $('#speed').selectmenu();
  $('#wrap').checkboxradio();
  $('#old').button({disabled: true}).on('click', () => pressed('old'));
  $('#tabs').tabs();
  $('#acc').accordion();
  $('#dlg').dialog({autoOpen: false, modal: true, buttons: {Yes() { pressed('yes'); $(this).dialog('close'); }, No() { $(this).dialog('close'); }}});
  $('#ask').button().on('click', () => { pressed('ask'); $('#dlg').dialog('open'); });
  report(() => ({city: $('#city').val(), day: $('#day').val(), count: $('#count').spinner('value'), speed: $('#speed').val(), wrap: $('#wrap').prop('checked'), pressed: presses()}));
});
