import { devNull } from 'node:os';

// Tests do not depend on the AWS configuration of the machine, except tests that run on a real account.
if (process.env['DLO_CONFORMANCE'] !== 'aws') {
  for (const name of Object.keys(process.env)) {
    if (/^AWS_(ENDPOINT_URL|USE_|DEFAULTS_MODE$|PROFILE$|MAX_ATTEMPTS$|RETRY_MODE$)/.test(name))
      delete process.env[name];
  }
  process.env['AWS_CONFIG_FILE'] = devNull;
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = devNull;
}

// On Node 20 the SDK prints an upgrade notice once for each test file. It is irrelevant to the tests.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

// CDK's own template validation starts an engine that takes longer than most tests. Suites that validate templates use
// cdk-preflight (test/support/validations.ts). It runs the same rules, and reports errors where CDK only warns.
process.env['CDK_VALIDATION'] = 'false';

// CDK notes the stack trace of every resource, which takes a sixth of a synthesis below Jest.
const context = { 'aws:cdk:disable-creation-stack-traces': true, 'aws:cdk:disable-stack-trace': true };
process.env['CDK_CONTEXT_JSON'] = JSON.stringify(context);
