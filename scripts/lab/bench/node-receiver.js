// A typical receiver: Node's http and crypto, each notification appended to a file and synced
// before the answer (grouped: all waiting requests share one fdatasync), duplicates found in a Set.
// usage: node node-receiver.js PUBLIC_KEY FILE PORT
'use strict';
const http = require('http'), crypto = require('crypto'), fs = require('fs');
const [, , pem, file, port] = process.argv;
const key = crypto.createPublicKey(fs.readFileSync(pem));
const journal = fs.openSync(file, 'a');
const answer = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';
const seen = new Set();
let waiting = [], isWriting = false;

function flush() {
  if (isWriting || !waiting.length) return;
  isWriting = true;
  const batch = waiting;
  waiting = [];
  fs.write(journal, batch.map((one) => one.line).join(''), (error) => {
    if (error) throw error;
    fs.fdatasync(journal, (error) => {
      if (error) throw error;
      isWriting = false;
      for (const one of batch) one.acknowledge();
      flush();
    });
  });
}

function isGenuine(request, body) {
  const field = (request.headers.signature || '').split('signature=').pop();
  const { 'client-id': client, 'request-time': time } = request.headers;
  const head = `POST ${request.url}\n${client}.${time}.`;
  const signed = Buffer.concat([Buffer.from(head), body]);
  return crypto.verify('RSA-SHA256', signed, key, Buffer.from(decodeURIComponent(field), 'base64'));
}

http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const acknowledge = () => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(answer);
    };
    if (!isGenuine(request, body)) {
      response.writeHead(401);
      return response.end();
    }
    const { paymentId } = JSON.parse(body);
    if (seen.has(paymentId)) return acknowledge();
    seen.add(paymentId);
    waiting.push({ line: body.toString() + '\n', acknowledge });
    flush();
  });
}).listen(+port, '127.0.0.1');
