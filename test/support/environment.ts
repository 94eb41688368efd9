import { devNull } from 'node:os';

// Tests do not depend on what the developer's machine, or a build's, has configured for AWS; but those of a real account do.
if (process.env['DLO_CONFORMANCE'] !== 'aws') {
  for (const name of Object.keys(process.env)) {
    if (/^AWS_(ENDPOINT_URL|USE_|DEFAULTS_MODE$|PROFILE$|MAX_ATTEMPTS$|RETRY_MODE$)/.test(name))
      delete process.env[name];
  }
  process.env['AWS_CONFIG_FILE'] = devNull;
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = devNull;
}

// On Node 20 the SDK advises an upgrade once for each test file; it has nothing to do with what is tested.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

// CDK's own validation of templates starts an engine that takes longer than most tests. Where a suite has templates judged,
// cdk-preflight runs the same rules (test/support/validations.ts), as errors where CDK itself would only warn.
process.env['CDK_VALIDATION'] = 'false';
