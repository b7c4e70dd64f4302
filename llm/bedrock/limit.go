package bedrock

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// limitedClient is an HTTP client whose response bodies are at most so many bytes long.
type limitedClient struct {
	aws.HTTPClient
	limit int64
}

func (c *limitedClient) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.HTTPClient.Do(req)
	if resp != nil && resp.Body != nil {
		resp.Body = &limitedBody{resp.Body, c.limit}
	}
	return resp, err
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBodyTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
