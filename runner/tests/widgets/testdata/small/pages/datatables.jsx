/*
pass a page further
- tap: "2"
- assert: Part 11
- assertNot: Part 1
model page 1
fail the first page
- assert: Part 11
pass searched
- tap: "Search:"
- input: Part 7
- assert: Part 7
- assertNot: Part 8
model search "Part 7"
fail what is searched away
- tap: "Search:"
- input: Part 7
- assert: Part 8
model search "Part 7"
pass sorted downwards
- tap: Price
- assert: {label: "40", rightOf: Part 40}
model order "1 desc"
fail another row's price
- assert: {label: "2", rightOf: Part 1}
pass more rows
- webSelect: {selector: select, value: "25"}
- scrollTo: Part 25
model length 25
fail the first button has nothing to go to
- tap: {label: First, timeoutMs: 1000}
*/
import DataTable from 'datatables.net-dt';
import 'datatables.net-dt/css/dataTables.dataTables.css';

show('<div style="width:600px"><table id=t></table></div>');
const table = new DataTable('#t', {data: Array.from({length: 40}, (_, i) => ['Part ' + (i + 1), i + 1]), columns: [{title: 'Name', orderable: false}, {title: 'Price'}], order: [[1, 'asc']]});
report(() => ({page: table.page(), search: table.search(), order: table.order().map(o => o[0] + ' ' + o[1]).join(), length: table.page.len()}));
