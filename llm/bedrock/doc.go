// Package bedrock speaks Amazon Bedrock's ConverseStream, through the AWS SDK. Only programs that
// import it pay for the size of the SDK.
//
//	model, err := bedrock.Resolve("bedrock/us.amazon.nova-pro-v1:0", os.Getenv)
//
// Credentials and region come from where the AWS tools look for them (environment, files, single
// sign-on, the machine's role, or an API key in AWS_BEARER_TOKEN_BEDROCK), at the first call.
//
// Retrying, executing tools and checking their arguments are package agent's business.
package bedrock
