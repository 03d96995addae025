/*
pass a cell is edited
- doubleTap: Task 3
- press: control+a
- input: Paint the door
- press: enter
- assert: Paint the door
model changed {"3":"Paint the door"}
fail it is not what it was
- doubleTap: Task 3
- press: control+a
- input: Paint the door
- press: enter
- assert: Task 3
model changed {"3":"Paint the door"}
pass a far row
- scrollTo: {label: Task 700, timeoutMs: 25000}
- assert: {label: "1400", rightOf: Task 700}
fail a far row and another number
- scrollTo: {label: Task 300, timeoutMs: 25000}
- assert: {label: "1400", rightOf: Task 300}
fail rows that are not drawn
- assert: Task 700
pass back to the top
- scrollTo: {label: Task 200, timeoutMs: 25000}
- scrollTo: {label: Task 5, direction: up, timeoutMs: 25000}
- assert: Task 5
*/
import {SlickGrid, Editors} from 'slickgrid';
import Sortable from 'sortablejs';
import 'slickgrid/dist/styles/css/slick.grid.css';
import 'slickgrid/dist/styles/css/slick-alpine-theme.css';

window.Sortable = Sortable;
show('<div id=g style="width:500px;height:300px"></div>');
const data = Array.from({length: 1000}, (_, i) => ({id: i, title: 'Task ' + i, points: i * 2}));
const grid = new SlickGrid('#g', data, [{id: 'title', name: 'Title', field: 'title', width: 200, editor: Editors.Text}, {id: 'points', name: 'Points', field: 'points', width: 100}],
  {editable: true, enableCellNavigation: true, autoEdit: false});
report(() => ({changed: Object.fromEntries(data.filter(d => d.title !== 'Task ' + d.id).map(d => [d.id, d.title]))}));
