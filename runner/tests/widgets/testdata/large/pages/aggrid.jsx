/*
pass a cell is edited
- doubleTap: {label: "4", rightOf: Nails}
- press: control+a
- input: "92"
- press: enter
- assert: {label: "92", rightOf: Nails}
model changed {"2":92}
fail another cell
- doubleTap: {label: "4", rightOf: Nails}
- press: control+a
- input: "92"
- press: enter
- assert: {label: "92", rightOf: Bolts}
model changed {"2":92}
pass a row is chosen
- tap: {type: checkbox, leftOf: Bolts}
- assert: {type: row, contains: Bolts, selected: true}
model selected [1]
fail another row is not
- tap: {type: checkbox, leftOf: Bolts}
- assert: {type: row, contains: Nails, selected: true}
model selected [1]
pass sorted by its header
- tap: Name
- tap: Name
- assert: Part 99
model sorted "name desc"
pass a far row
- scrollTo: {label: Part 700, timeoutMs: 25000}
- tap: {type: checkbox, leftOf: Part 700}
model selected [700]
fail rows that are not drawn
- assert: Part 700
fail what is in another row
- assert: {label: "70", rightOf: Nails}
*/
import {createGrid, ModuleRegistry, AllCommunityModule} from 'ag-grid-community';

ModuleRegistry.registerModules([AllCommunityModule]);
show('<div id=g style="width:600px;height:320px"></div>');
const rowData = [{id: 1, name: 'Bolts', stock: 70}, {id: 2, name: 'Nails', stock: 4}];
for (let i = 3; i <= 900; i++) rowData.push({id: i, name: 'Part ' + i, stock: 1000 + i});
const changed = {};
const grid = createGrid(element('#g'), {rowData, rowSelection: {mode: 'singleRow'}, columnDefs: [{field: 'name'}, {field: 'stock', editable: true}],
  onCellValueChanged: e => { changed[e.data.id] = e.newValue; }});
report(() => ({changed, selected: grid.getSelectedRows().map(r => r.id), sorted: grid.getColumnState().filter(c => c.sort).map(c => c.colId + ' ' + c.sort).join()}));
