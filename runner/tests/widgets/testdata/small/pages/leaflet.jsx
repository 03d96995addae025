/*
pass zoom in
- tap: Zoom in
- waitStable: {timeoutMs: 3000}
model zoom 6
fail no deeper than it goes
- tap: Zoom in
- waitStable: {timeoutMs: 3000}
- tap: Zoom in
model zoom 6
pass a marker opens its popup
- tap: Harbour
- assert: The old harbour
model popup "The old harbour"
fail another popup
- tap: Harbour
- assert: The castle
model popup "The old harbour"
pass the map is dragged
- drag: {from: {point: "200,250"}, to: {point: "300,250"}}
- waitStable: {timeoutMs: 3000}
model moved "east"
fail a popup that was closed
- tap: Harbour
- tap: Close popup
- waitStable: {timeoutMs: 3000}
- assert: The old harbour
*/
import L from 'leaflet';
import 'leaflet/dist/leaflet.css';

show('<div id=map style="width:600px;height:400px"></div>');
const map = L.map('map', {maxZoom: 6, inertia: false}).setView([50, 10], 5);
const icon = L.divIcon({html: '<b>⚓</b>', iconSize: [24, 24]});
L.marker([50, 10], {title: 'Harbour', alt: 'Harbour', icon}).addTo(map).bindPopup('The old harbour');
L.marker([51, 14], {title: 'Castle', alt: 'Castle', icon}).addTo(map).bindPopup('The castle');
let popup = '';
map.on('popupopen', e => { popup = e.popup.getContent(); });
map.on('popupclose', () => { popup = ''; });
report(() => ({zoom: map.getZoom(), popup, moved: Math.abs(map.getCenter().lng - 10) < 1 ? '' : map.getCenter().lng < 10 ? 'east' : 'west'}));
