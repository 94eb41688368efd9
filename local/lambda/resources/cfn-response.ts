/**
 * The module `cfn-response`, which Lambda adds to inline code that asks for it.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-lambda-function-code-cfnresponsemodule.html
 */
const CFN_RESPONSE = `
const https = require('node:https');
exports.SUCCESS = 'SUCCESS';
exports.FAILED = 'FAILED';
exports.send = (event, context, status, data, physicalResourceId, noEcho) => {
  const { StackId, RequestId, LogicalResourceId, ResponseURL } = event;
  const body = JSON.stringify({
    Status: status,
    Reason: 'See the details in CloudWatch Log Stream: ' + context.logStreamName,
    PhysicalResourceId: physicalResourceId || context.logStreamName,
    StackId,
    RequestId,
    LogicalResourceId,
    NoEcho: noEcho || false,
    Data: data,
  });
  console.log('Response body:\\n', body);
  const headers = { 'content-type': '', 'content-length': Buffer.byteLength(body) };
  return new Promise(resolve => {
    const end = () => resolve(context.done());
    const request = https.request(new URL(ResponseURL), { method: 'PUT', headers }, response => {
      console.log('Status code: ' + response.statusCode);
      end();
    });
    request.on('error', error => {
      console.log('send(..) failed executing https.request(..): ' + error);
      end();
    });
    request.end(body);
  });
};
`;

/** The files of a function whose code is in its template. */
export function inlineFiles(code: string): Readonly<Record<string, string>> {
  const asksForModule = /require\(\s*['"`]cfn-response['"`]\s*\)/.test(code);
  return { 'index.js': code, ...(asksForModule && { 'node_modules/cfn-response.js': CFN_RESPONSE }) };
}
