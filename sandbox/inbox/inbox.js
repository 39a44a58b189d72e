'use strict';
// Texts from outside are only ever set through textContent, so that nothing in a message becomes markup.
const POLL_MS = 600;

const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString('en-GB');
const time = (iso, second) =>
  new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second, hourCycle: 'h23' });
const day = (iso) => {
  const date = new Date(iso);
  if (date.toDateString() === new Date().toDateString()) return 'Today';
  return date.toLocaleDateString([], { day: 'numeric', month: 'long', year: 'numeric' });
};

let selected; // the phone of a conversation that was chosen; without one, the newest conversation is shown
let shown = ''; // what the page shows now, as the sandbox sent it
let timer = 0;

async function poll() {
  clearTimeout(timer);
  if (!document.hidden) {
    const live = await update().then(
      () => true,
      () => false,
    );
    byId('live').classList.toggle('lost', !live);
    byId('live').textContent = live ? 'live' : 'not connected';
  }
  clearTimeout(timer);
  timer = setTimeout(poll, POLL_MS);
}

async function update() {
  const query = new URLSearchParams({ search: byId('search').value.trim(), ...(selected && { phone: selected }) });
  const answer = await fetch(`/_sandbox/inbox?${query}`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const text = await answer.text();
  if (text === shown) return;
  shown = text;
  const { state, conversations, chat, requests } = JSON.parse(text);
  showState(state);
  byId('conversations').replaceChildren(...conversations.map((one) => row(one, chat.phone)));
  showChat(chat);
  byId('requests').replaceChildren(
    make('h2', '', `Latest of ${count(state.requests)} requests`),
    ...requests.map(request),
  );
}

function showState({ messages, conversations, credits, limit, requests_left, window_seconds }) {
  byId('messages').textContent = count(messages);
  byId('phones').textContent = count(conversations);
  byId('credits').textContent = count(credits);
  byId('window').textContent = limit === 0 ? 'Requests' : `Requests left in ${window_seconds} s`;
  byId('left').textContent = limit === 0 ? 'no limit' : `${count(requests_left)} / ${count(limit)}`;
}

function row({ phone, count: messages, last }, current) {
  const element = make('button', 'row', '', [
    avatar(make('span', 'avatar'), phone),
    make('b', '', `+${phone}`),
    make('small', '', time(last.sent_at)),
    make('span', 'last', last.message.slice(0, 120)),
    make('span', 'count', count(messages)),
  ]);
  element.type = 'button';
  element.children[3].dir = 'auto';
  element.setAttribute('aria-current', String(phone === current));
  element.addEventListener('click', () => {
    selected = phone;
    document.body.classList.add('chat-open');
    void poll();
  });
  return element;
}

function showChat({ phone, count: total, messages }) {
  byId('chat-head').hidden = total === 0;
  byId('empty').hidden = total > 0;
  avatar(byId('chat-avatar'), phone);
  byId('chat-phone').textContent = `+${phone}`;
  const part = total > messages.length ? `, the newest ${count(messages.length)} shown` : '';
  byId('chat-count').textContent = `${count(total)} message${total === 1 ? '' : 's'}${part}`;
  const bubbles = byId('bubbles');
  const isAtEnd = bubbles.scrollHeight - bubbles.scrollTop - bubbles.clientHeight < 60;
  const isOther = bubbles.dataset.phone !== phone;
  bubbles.dataset.phone = phone;
  let before = '';
  bubbles.replaceChildren(
    ...messages.flatMap((message) => {
      const isNewDay = day(message.sent_at) !== before;
      before = day(message.sent_at);
      return isNewDay ? [make('div', 'day', before), bubble(message)] : [bubble(message)];
    }),
  );
  if (isAtEnd || isOther) bubbles.scrollTop = bubbles.scrollHeight;
}

function bubble({ id, message, endpoint, sent_at }) {
  const text = make('p', '', message);
  text.dir = 'auto';
  const foot = make('footer', '', `${time(sent_at)} ✓`);
  foot.title = `message ${id}, sent by ${endpoint} at ${sent_at}`;
  return make('div', 'bubble', '', [text, foot]);
}

function request({ method, path, status, messages, sent, fault, started_at, duration_ms }) {
  const inFlight = duration_ms === null;
  const colour = inFlight ? 'open' : status === null || status >= 500 ? 'bad' : status >= 300 ? 'warn' : 'good';
  const about =
    messages === 0 ? [] : [sent === messages ? `${count(sent)} sent` : `${count(sent)} of ${count(messages)} sent`];
  return make('div', 'request', '', [
    make('span', `status ${colour}`, inFlight ? '…' : (status ?? 'cut')),
    make('b', '', `${method} ${path.replace(/^(\/api)?\/v1/, '') || path}`),
    make('small', '', time(started_at, '2-digit')),
    make('small', '', [...about, ...(fault === null ? [] : [`fault: ${fault}`])].join(' · ')),
    make('small', '', inFlight ? '' : `${Math.round(duration_ms)} ms`),
  ]);
}

/** Shows the last two digits of a number, on a colour that depends on the number. */
function avatar(element, phone) {
  const hue = [...phone].reduce((sum, digit) => (sum * 31 + digit.charCodeAt(0) * 47) % 360, 0);
  element.style.setProperty('--hue', hue);
  element.textContent = phone.slice(-2);
  return element;
}

function make(name, className, text = '', children = []) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  element.append(...children);
  return element;
}

byId('base').textContent = `${location.origin}/v1`;
byId('search').addEventListener('input', poll);
byId('back').addEventListener('click', () => document.body.classList.remove('chat-open'));
byId('toggle').addEventListener('click', () => {
  byId('toggle').setAttribute('aria-expanded', String(document.body.classList.toggle('requests-shown')));
});
document.addEventListener('visibilitychange', poll);
void poll();
