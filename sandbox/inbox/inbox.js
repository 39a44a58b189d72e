'use strict';
// Foreign texts are only set through textContent, so that nothing in a message becomes markup.
const POLL_MS = 600;

const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString('en-GB');
const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
const time = (iso) => new Date(iso).toLocaleTimeString('en-GB');

let selected; // the phone of a conversation that was chosen; without one, the newest conversation is shown
let shown = ''; // what the page shows now, as the sandbox sent it
let timer = 0;

async function poll() {
  clearTimeout(timer);
  const isLive = await update().then(
    () => true,
    () => false,
  );
  byId('live').textContent = isLive ? 'live' : 'not connected';
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
  byId('requests').replaceChildren(...requests.map(request));
}

function showState({ messages, conversations, credits, limit, requests, requests_left, window_seconds }) {
  const left = `${requests_left} of ${limit} requests left in ${window_seconds} s`;
  byId('state').textContent = [
    counted(messages, 'message'),
    counted(conversations, 'phone'),
    counted(credits, 'credit'),
    limit === 0 ? counted(requests, 'request') : left,
  ].join(' · ');
}

function row({ phone, count: messages, last }, current) {
  const element = make('button', 'row', '', [
    make('b', '', `+${phone}`),
    make('small', '', time(last.sent_at)),
    make('small', '', last.message.slice(0, 120)),
    make('small', '', count(messages)),
  ]);
  element.type = 'button';
  element.children[2].dir = 'auto';
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
  byId('chat-phone').textContent = `+${phone}`;
  const part = total > messages.length ? `, the newest ${count(messages.length)} shown` : '';
  byId('chat-count').textContent = counted(total, 'message') + part;
  const bubbles = byId('bubbles');
  bubbles.replaceChildren(...messages.map(bubble));
  bubbles.scrollTop = bubbles.scrollHeight;
}

function bubble({ message, sent_at }) {
  const text = make('p', '', '', withLinks(message));
  text.dir = 'auto';
  return make('div', 'bubble', '', [text, make('small', '', `${time(sent_at)} ✓`)]);
}

function withLinks(text) {
  return text.split(/(https?:\/\/\S+)/).map((part, index) => {
    if (index % 2 === 0) return part;
    const link = make('a', '', part);
    link.href = part;
    link.target = '_blank';
    link.rel = 'noreferrer';
    return link;
  });
}

function request({ method, path, status, messages, sent, fault, started_at, duration_ms }) {
  const isInFlight = duration_ms === null;
  const about = messages === 0 ? [] : [`${count(sent)} of ${count(messages)} sent`];
  return make('div', 'row', '', [
    make('b', '', `${isInFlight ? '…' : (status ?? 'cut')} ${method} ${path.replace(/^(\/api)?\/v1/, '') || path}`),
    make('small', '', time(started_at)),
    make('small', '', [...about, ...(fault === null ? [] : [`fault: ${fault}`])].join(' · ')),
    make('small', '', isInFlight ? '' : `${Math.round(duration_ms)} ms`),
  ]);
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
void poll();
