/*
pass a branch is opened
- doubleTap: Fruit
- assert: Apple
model open ["fruit"]
fail a branch that is shut
- assert: Apple
pass an entry is chosen
- doubleTap: Fruit
- tap: Apple
- assert: {label: Apple, selected: true}
model open ["fruit"]
model chosen ["apple"]
fail another one
- doubleTap: Fruit
- tap: Apple
- assert: {label: Pear, selected: true}
model open ["fruit"]
model chosen ["apple"]
pass by keys
- tap: Fruit
- press: right
- press: down
- press: enter
model open ["fruit"]
model chosen ["apple"]
fail a disabled one
- doubleTap: Fruit
- tap: Plum
model open ["fruit"]
pass moved into another branch
- drag: {from: Stone, to: Fruit}
- waitStable:
model moved "stone fruit"
*/
import jQuery from 'jquery';
window.jQuery = window.$ = jQuery;
import 'jstree/dist/themes/default/style.css';

show('<div id=t style="width:300px"></div>');
let moved = '';
const s = document.createElement('script');
s.src = '/node_modules/jstree/dist/jstree.min.js';
s.onload = () => {
  const data = [{id: 'fruit', text: 'Fruit', children: [{id: 'apple', text: 'Apple'}, {id: 'pear', text: 'Pear'}, {id: 'plum', text: 'Plum', state: {disabled: true}}]}, {id: 'stone', text: 'Stone'}];
  jQuery('#t').on('move_node.jstree', (e, d) => { moved = d.node.id + ' ' + d.parent; }).on('ready.jstree', () => {
    const t = jQuery('#t').jstree(true);
    report(() => ({open: t.get_json('#', {flat: true}).filter(n => n.state.opened).map(n => n.id), chosen: t.get_selected().filter(id => id !== 'fruit' || true).filter(id => id === 'apple' || id === 'pear' || id === 'plum'), moved}));
  }).jstree({core: {data, check_callback: true, animation: 0}, plugins: ['dnd']});
};
document.head.append(s);
