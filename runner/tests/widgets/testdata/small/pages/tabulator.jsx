/*
pass a cell is edited
- tap: {label: "4", rightOf: Nails}
- press: control+a
- input: "92"
- press: enter
- assert: {label: "92", rightOf: Nails}
model changed {"2":92}
model selected [2]
fail another cell
- tap: {label: "4", rightOf: Nails}
- press: control+a
- input: "92"
- press: enter
- assert: {label: "92", rightOf: Bolts}
model changed {"2":92}
model selected [2]
pass a row is chosen
- tap: Bolts
- assert: {css: .tabulator-selected, contains: Bolts}
model selected [1]
fail another row is chosen
- tap: Bolts
- assert: {css: .tabulator-selected, contains: Nails}
model selected [1]
pass sorted by its header
- tap: Name
- assert: {label: Bolts, above: Nails}
model sorted "name"
pass a far row
- scrollTo: {label: Part 321, timeoutMs: 20000}
- tap: Part 321
model selected [321]
fail a far row that is not in view
- tap: {label: Part 321}
pass what is in the same row
- assert: {label: "4", rightOf: Nails}
fail what is in another row
- assert: {label: "4", rightOf: Bolts}
*/
import {TabulatorFull as Tabulator} from 'tabulator-tables';
import 'tabulator-tables/dist/css/tabulator.css';

show('<div id=t style="width:500px"></div>');
const data = [{id: 1, name: 'Bolts', stock: 70}, {id: 2, name: 'Nails', stock: 4}];
for (let i = 3; i <= 400; i++) data.push({id: i, name: 'Part ' + i, stock: 1000 + i});
const table = new Tabulator('#t', {height: 300, data, layout: 'fitColumns', selectableRows: 1, index: 'id',
  columns: [{title: 'Name', field: 'name'}, {title: 'Stock', field: 'stock', editor: 'number', headerSort: false}]});
const changed = {};
table.on('cellEdited', c => { changed[c.getData().id] = c.getValue(); });
let sorted = '';
table.on('dataSorted', s => { sorted = s.map(x => x.field).join(); });
table.on('tableBuilt', () => report(() => ({changed, selected: table.getSelectedData().map(r => r.id), sorted})));
