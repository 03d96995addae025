/*
pass dragged to its end
- drag: {from: Price, to: {point: "900,116"}}
model price 100
fail no slider of that name
- drag: {from: Weight, to: {point: "900,116"}}
pass by keys
- tap: {label: Price, type: slider}
- press: right
- press: right
model price 42
pass a value that it says
- assert: {label: Price, type: slider}
- assert: "40"
fail one that it does not say
- assert: "41"
*/
import noUiSlider from 'nouislider';
import 'nouislider/dist/nouislider.css';

show('<p style="height:40px"></p><div id=s style="width:400px"></div><p id=v></p>');
const slider = noUiSlider.create(element('#s'), {start: 40, step: 1, connect: 'lower', range: {min: 0, max: 100}, handleAttributes: [{'aria-label': 'Price'}]});
slider.on('update', v => { element('#v').textContent = String(Math.round(v[0])); });
report(() => ({price: Math.round(slider.get(true))}));
