/*
pass a cell is written
- doubleTap: Pears
- press: control+a
- input: Plums
- press: enter
- assert: Plums
model cells [["Apples",10],["Plums",20],["Grapes",30]]
fail it is not what it was
- doubleTap: Pears
- press: control+a
- input: Plums
- press: enter
- assert: Pears
model cells [["Apples",10],["Plums",20],["Grapes",30]]
pass keys over a chosen cell replace it
- tap: Pears
- press: delete
- assertNot: Pears
model cells [["Apples",10],["",20],["Grapes",30]]
fail the other cells stay
- tap: Pears
- press: delete
- assertNot: Grapes
model cells [["Apples",10],["",20],["Grapes",30]]
pass the number beside it
- assert: {label: "20", rightOf: Pears}
fail another number
- assert: {label: "30", rightOf: Pears}
*/
import jspreadsheet from 'jspreadsheet-ce';
import 'jsuites/dist/jsuites.css';
import 'jspreadsheet-ce/dist/jspreadsheet.css';

show('<div id=s></div>');
const sheets = jspreadsheet(element('#s'), {worksheets: [{data: [['Apples', 10], ['Pears', 20], ['Grapes', 30]], minDimensions: [2, 3],
  columns: [{type: 'text', title: 'Fruit', width: 120}, {type: 'numeric', title: 'Count', width: 80}]}]});
report(() => ({cells: sheets[0].getData()}));
