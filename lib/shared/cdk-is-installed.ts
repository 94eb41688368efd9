/**
 * Without the CDK, which `/local`, `/consumer`, `/fleet` and the command do not need, the first construct would fail with an error
 * that names one of its modules.
 */
try {
  require('aws-cdk-lib');
  require('constructs');
} catch (error) {
  const isMissing = /^Cannot find (module|package) '(aws-cdk-lib|constructs)'/.test(String(Object(error).message));
  if (!isMissing) throw error;
  throw new Error('The constructs of dead-letter-office need the CDK: npm install aws-cdk-lib constructs', {
    cause: error,
  });
}
