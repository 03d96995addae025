/*
pass dragged below another
- drag: {from: Alpha, to: Gamma}
model order "beta gamma alpha delta"
fail what cannot be dragged away is not there
- drag: {from: Omega, to: Gamma}
pass dragged up
- drag: {from: Delta, to: Beta}
model order "alpha delta beta gamma"
fail it says where things are
- drag: {from: Alpha, to: Gamma}
- assert: {label: Alpha, above: Beta}
model order "beta gamma alpha delta"
pass it says where things are now
- drag: {from: Alpha, to: Gamma}
- assert: {label: Alpha, below: Gamma}
model order "beta gamma alpha delta"
*/
import Sortable from 'sortablejs';

show(`<style>li{padding:10px;margin:4px;border:1px solid #aaa;width:200px;list-style:none}</style>
<ul id=l><li data-id=alpha>Alpha</li><li data-id=beta>Beta</li><li data-id=gamma>Gamma</li><li data-id=delta>Delta</li></ul>`);
const list = Sortable.create(element('#l'));
report(() => ({order: list.toArray().join(' ')}));
