/** The packages of AWS Solutions Constructs whose patterns `npm run check:patterns` deploys, with the names of their classes. */
export const PATTERN_PACKAGES = {
  'aws-apigateway-dynamodb': 'ApiGatewayToDynamoDB',
  'aws-apigateway-kinesisstreams': 'ApiGatewayToKinesisStreams',
  'aws-apigateway-lambda': 'ApiGatewayToLambda',
  'aws-apigateway-sqs': 'ApiGatewayToSqs',
  'aws-cloudfront-apigateway': 'CloudFrontToApiGateway',
  'aws-cloudfront-apigateway-lambda': 'CloudFrontToApiGatewayToLambda',
  'aws-cloudfront-s3': 'CloudFrontToS3',
  'aws-cognito-apigateway-lambda': 'CognitoToApiGatewayToLambda',
  'aws-dynamodbstreams-lambda': 'DynamoDBStreamsToLambda',
  'aws-eventbridge-lambda': 'EventbridgeToLambda',
  'aws-eventbridge-sqs': 'EventbridgeToSqs',
  'aws-eventbridge-stepfunctions': 'EventbridgeToStepfunctions',
  'aws-iot-lambda': 'IotToLambda',
  'aws-kinesisfirehose-s3': 'KinesisFirehoseToS3',
  'aws-kinesisstreams-kinesisfirehose-s3': 'KinesisStreamsToKinesisFirehoseToS3',
  'aws-kinesisstreams-lambda': 'KinesisStreamsToLambda',
  'aws-lambda-dynamodb': 'LambdaToDynamoDB',
  'aws-lambda-opensearch': 'LambdaToOpenSearch',
  'aws-lambda-s3': 'LambdaToS3',
  'aws-lambda-secretsmanager': 'LambdaToSecretsmanager',
  'aws-lambda-sns': 'LambdaToSns',
  'aws-lambda-sqs': 'LambdaToSqs',
  'aws-lambda-ssmstringparameter': 'LambdaToSsmstringparameter',
  'aws-lambda-stepfunctions': 'LambdaToStepfunctions',
  'aws-s3-lambda': 'S3ToLambda',
  'aws-s3-stepfunctions': 'S3ToStepfunctions',
  'aws-sns-lambda': 'SnsToLambda',
  'aws-sns-sqs': 'SnsToSqs',
  'aws-sqs-lambda': 'SqsToLambda',
  'aws-wafwebacl-apigateway': 'WafwebaclToApiGateway',
};

/** The properties that a pattern cannot do without. */
export function patternProps(require, name, stack) {
  const { Duration } = require('aws-cdk-lib');
  const { Code, Function: LambdaFunction, Runtime } = require('aws-cdk-lib/aws-lambda');
  const { AuthorizationType, LambdaRestApi } = require('aws-cdk-lib/aws-apigateway');
  const { Schedule } = require('aws-cdk-lib/aws-events');
  const { DefinitionBody, Pass } = require('aws-cdk-lib/aws-stepfunctions');
  const lambda = {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {};'),
  };
  const services = name.split('-').slice(1);
  const uses = service => services.includes(service);
  const api = () => new LambdaRestApi(stack, 'Api', { handler: new LambdaFunction(stack, 'Function', lambda) });
  const machine = () => DefinitionBody.fromChainable(new Pass(stack, 'Pass'));
  const sql = { ruleDisabled: false, sql: 'SELECT *', actions: [] };
  return {
    ...(uses('lambda') && { lambdaFunctionProps: lambda }),
    ...(uses('eventbridge') && { eventRuleProps: { schedule: Schedule.rate(Duration.hours(1)) } }),
    ...(uses('stepfunctions') && { stateMachineProps: { definitionBody: machine() } }),
    ...(uses('iot') && { iotTopicRuleProps: { topicRulePayload: sql } }),
    ...(uses('opensearch') && { openSearchDomainName: 'search' }),
    ...(uses('ssmstringparameter') && { stringParameterProps: { stringValue: 'text' } }),
    ...(name === 'aws-apigateway-sqs' && { allowCreateOperation: true }),
    ...(name === 'aws-cloudfront-apigateway' && { existingApiGatewayObj: api() }),
    ...(name === 'aws-wafwebacl-apigateway' && { existingApiGatewayInterface: api() }),
    ...(name === 'aws-cloudfront-apigateway-lambda' && {
      apiGatewayProps: { defaultMethodOptions: { authorizationType: AuthorizationType.NONE } },
    }),
  };
}
