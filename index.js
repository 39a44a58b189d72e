// n8n finds the classes by the paths under "n8n" in package.json; this is for those who require the package by name.
const { MessagingSendApi } = require('./dist/credentials/MessagingSendApi.credentials.js');
const { MessagingSend } = require('./dist/nodes/MessagingSend/MessagingSend.node.js');
const { MessagingSendTrigger } = require('./dist/nodes/MessagingSend/MessagingSendTrigger.node.js');

module.exports = { MessagingSend, MessagingSendTrigger, MessagingSendApi };
