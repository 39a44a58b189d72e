'use strict';
// Texts from outside are only ever set through textContent, so that nothing in a message becomes markup.
const POLL_MS = 600;
const LIST_LENGTH = 300; // rows in the list; the search box finds the rest
const CHAT_LENGTH = 200; // newest bubbles of a conversation
const REQUEST_LENGTH = 60;

const byId = (id) => document.getElementById(id);
const count = (number) => Number(number).toLocaleString('en-GB');
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
const time = (iso) => new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const timeWithSeconds = (iso) =>
  new Date(iso).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
const day = (iso) => {
  const date = new Date(iso);
  if (date.toDateString() === new Date().toDateString()) return 'Today';
  return date.toLocaleDateString([], { day: 'numeric', month: 'long', year: 'numeric' });
};

let selected = null; // phone
let chosenByHand = false; // false: the newest conversation is shown
let shown = ''; // the counts, search and phone that the page shows now, in one string
let timer = 0;
const rows = new Map(); // phone → row element, reused so that focus and scrolling stay

async function read(path) {
  const answer = await fetch(`/_sandbox/${path}`, { cache: 'no-store' });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

async function poll() {
  clearTimeout(timer);
  try {
    if (!document.hidden) await update();
    setLive(true);
  } catch {
    setLive(false);
  }
  clearTimeout(timer);
  timer = setTimeout(poll, POLL_MS);
}

function setLive(live) {
  byId('live').classList.toggle('lost', !live);
  setText(byId('live'), live ? 'live' : 'not connected');
}

async function update() {
  const state = await read('state');
  showState(state);
  const search = byId('search').value.trim();
  const wanted = JSON.stringify([state.messages, state.requests, state.answered, state.resets, search, selected]);
  if (wanted === shown) return;
  const [list, requests] = await Promise.all([
    read(`conversations?limit=${LIST_LENGTH}&search=${encodeURIComponent(search)}`),
    read(`requests?limit=${REQUEST_LENGTH}`),
  ]);
  if (search !== byId('search').value.trim()) return; // the search has changed since: the next poll shows it
  if (state.messages === 0) selected = null;
  else if (!chosenByHand) selected = list.conversations[0]?.phone ?? selected;
  showConversations(list, search);
  showRequests(requests);
  await showChat();
  shown = JSON.stringify([state.messages, state.requests, state.answered, state.resets, search, selected]);
}

function showState(state) {
  setText(byId('messages'), count(state.messages));
  setText(byId('phones'), count(state.conversations));
  setText(byId('credits'), count(state.credits));
  setText(byId('window'), state.limit === 0 ? 'Requests' : `Requests left in ${state.window_seconds} s`);
  setText(byId('left'), state.limit === 0 ? 'no limit' : count(state.requests_left));
  setText(byId('limit'), state.limit === 0 ? '' : ` / ${count(state.limit)}`);
  const share = state.limit === 0 ? 1 : state.requests_left / state.limit;
  byId('meter').style.setProperty('--share', share);
  byId('meter').classList.toggle('low', share < 0.15);
}

function showConversations({ conversations, total }, search) {
  const current = new Set(conversations.map(({ phone }) => phone));
  for (const phone of rows.keys()) if (!current.has(phone)) rows.delete(phone);
  place(byId('conversations'), conversations.map(showRow));
  const more = total > conversations.length && conversations.length === LIST_LENGTH;
  let note = '';
  if (search !== '' && conversations.length === 0) note = 'Nothing found';
  else if (more) note = `The newest ${count(LIST_LENGTH)} of ${count(total)} shown; search to find the rest`;
  setText(byId('list-note'), note);
}

function showRow({ phone, count: messages, last }) {
  let row = rows.get(phone);
  if (row === undefined) {
    row = make('button', 'row');
    row.type = 'button';
    row.dataset.phone = phone;
    row.append(
      avatar(make('span', 'avatar'), phone),
      make('span', 'phone number'),
      make('span', 'when number'),
      make('span', 'last'),
      make('span', 'count number'),
    );
    row.addEventListener('click', () => choose(phone));
    rows.set(phone, row);
  }
  const [, name, when, text, badge] = row.children;
  setText(name, `+${phone}`);
  setText(when, time(last.sent_at));
  setText(text, last.message.slice(0, 120));
  text.dir = 'auto';
  setText(badge, count(messages));
  row.setAttribute('aria-current', String(phone === selected));
  return row;
}

/** Puts the elements in this order, and moves only those out of place: an element that is moved loses its focus. */
function place(parent, elements) {
  elements.forEach((element, index) => {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  });
  while (parent.children.length > elements.length) parent.lastElementChild.remove();
}

function choose(phone) {
  selected = phone;
  chosenByHand = true;
  document.body.classList.add('chat-open');
  byId('bubbles').dataset.phone = '';
  for (const row of rows.values()) row.setAttribute('aria-current', String(row.dataset.phone === phone));
  showChat().catch(() => setLive(false));
}

async function showChat() {
  const phone = selected;
  byId('chat-head').hidden = phone === null;
  byId('empty').hidden = phone !== null;
  const bubbles = byId('bubbles');
  if (phone === null) {
    bubbles.replaceChildren();
    return;
  }
  const { messages, total } = await read(`conversations/${encodeURIComponent(phone)}?limit=${CHAT_LENGTH}`);
  if (phone !== selected) return;
  const scroll = byId('chat-scroll');
  const atEnd = bubbles.dataset.phone !== phone || scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
  bubbles.dataset.phone = phone;
  avatar(byId('chat-avatar'), phone);
  setText(byId('chat-phone'), `+${phone}`);
  setText(
    byId('chat-count'),
    plural(total, 'message') + (total > messages.length ? `, the newest ${count(messages.length)} shown` : ''),
  );
  const parts = [];
  let before = '';
  for (const message of messages) {
    if (day(message.sent_at) !== before) parts.push(make('div', 'day', (before = day(message.sent_at))));
    parts.push(bubble(message));
  }
  bubbles.replaceChildren(...parts);
  if (atEnd) scroll.scrollTop = scroll.scrollHeight;
}

function bubble({ id, message, endpoint, sent_at }) {
  const element = make('div', 'bubble');
  const text = make('p', '', message);
  text.dir = 'auto';
  const foot = make('footer', 'number', `${time(sent_at)} ✓`);
  foot.title = `message ${id}, sent by ${endpoint} at ${sent_at}`;
  element.append(text, foot);
  return element;
}

function showRequests({ requests, total }) {
  setText(byId('request-total'), count(total));
  byId('requests').replaceChildren(...requests.reverse().map(requestRow));
}

function requestRow({ number, method, path, status, messages, sent, fault, started_at, duration_ms }) {
  const element = make('div', 'request');
  const underWay = status === null && duration_ms === null;
  const colour = underWay ? 'open' : status === null || status >= 500 ? 'bad' : status >= 300 ? 'warn' : '';
  const name = make('span', 'path');
  name.append(make('b', '', method), ` ${path.replace(/^(\/api)?\/v1/, '') || path}`);
  name.title = `request ${number}: ${method} ${path}`;
  const about = make('small', 'number');
  if (messages > 0)
    about.append(sent === messages ? `${count(sent)} sent` : `${count(sent)} of ${count(messages)} sent`);
  if (fault !== null) about.append(messages > 0 ? ' · ' : '', make('span', 'fault', `fault: ${fault}`));
  element.append(
    make('span', `status number ${colour}`, underWay ? '…' : status === null ? 'cut' : String(status)),
    name,
    make('small', 'right number', timeWithSeconds(started_at)),
    about,
    make(
      'small',
      'right number',
      duration_ms === null ? '' : `${duration_ms < 10 ? duration_ms : Math.round(duration_ms)} ms`,
    ),
  );
  return element;
}

/** Shows the last two digits of a number, on a colour that depends on the number. */
function avatar(element, phone) {
  let hue = 0;
  for (const digit of phone) hue = (hue * 31 + digit.charCodeAt(0) * 47) % 360;
  element.style.setProperty('--hue', hue);
  setText(element, phone.slice(-2));
  return element;
}

function make(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

byId('base').textContent = `${location.origin}/v1`;
byId('search').addEventListener('input', poll);
byId('back').addEventListener('click', () => document.body.classList.remove('chat-open'));
byId('toggle').addEventListener('click', () => {
  byId('toggle').setAttribute('aria-expanded', String(document.body.classList.toggle('requests-shown')));
});
document.addEventListener('visibilitychange', poll);
poll();
