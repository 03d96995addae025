/*
pass the next slide
- tap: Next slide
- assert: Second
- assertNot: First
model slide 1
fail a slide that is not there yet
- assert: Second
pass swiped
- swipe: {direction: left, inside: First}
- assert: Second
model slide 1
fail swiped past its end
- tap: {label: Go to slide 3}
- assert: Third
- tap: Next slide
model slide 2
pass a button on its slide
- tap: Next slide
- tap: Buy second
model slide 1
model pressed "second"
fail a button that is on another slide
- tap: Buy second
*/
import Swiper from 'swiper';
import {Navigation, Pagination, A11y} from 'swiper/modules';
import 'swiper/css';
import 'swiper/css/navigation';
import 'swiper/css/pagination';

show(`<div class=swiper style="width:500px;height:200px"><div class=swiper-wrapper>` + ['First', 'Second', 'Third'].map(n =>
  `<div class=swiper-slide style="background:#eef;padding:60px;box-sizing:border-box"><h2>${n}</h2><button onclick="pressed('${n.toLowerCase()}')">Buy ${n.toLowerCase()}</button></div>`).join('') +
  '</div><div class=swiper-pagination></div><div class=swiper-button-prev></div><div class=swiper-button-next></div></div>');
const swiper = new Swiper('.swiper', {modules: [Navigation, Pagination, A11y], speed: 200, pagination: {el: '.swiper-pagination', clickable: true},
  navigation: {nextEl: '.swiper-button-next', prevEl: '.swiper-button-prev'}});
report(() => ({slide: swiper.activeIndex, pressed: presses()}));
