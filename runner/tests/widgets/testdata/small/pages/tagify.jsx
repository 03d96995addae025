/*
pass one more
- tap: Tags input field
- input: "news\n"
- assert: news
model tags "art news"
pass one of the list
- tap: Tags input field
- input: mus
- tap: music
- assert: music
model tags "art music"
fail one that is searched away
- tap: Tags input field
- input: mus
- tap: {label: sport, timeoutMs: 1000}
fail one that is there
- tap: Tags input field
- input: "art\n"
- assert: {label: sport, timeoutMs: 1000}
pass one is taken away
- tap: remove tag
- assertNot: art
model tags ""
fail it is still there
- assertNot: art
*/
import Tagify from '@yaireo/tagify';
import '@yaireo/tagify/dist/tagify.css';

show('<label>Topics <input id=t value=art></label>');
const tags = new Tagify(element('#t'), {whitelist: ['art', 'music', 'sport'], dropdown: {enabled: 1}});
report(() => ({tags: tags.value.map(t => t.value).join(' ')}));
