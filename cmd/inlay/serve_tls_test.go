package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"
)

// authority signs certificates for tests.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{t, cert, key}
}

// issue writes a certificate for localhost and its key to the folder.
func (a *authority) issue(dir string, serial int64, until time.Time) (cert, key string) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, a.cert, &private.PublicKey, a.key)
	require.NoError(a.t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(a.t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{key: {Type: "PRIVATE KEY", Bytes: secret}, cert: {Type: "CERTIFICATE", Bytes: der}} {
		require.NoError(a.t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	return cert, key
}

// client trusts the authority, and shows which certificate it was given.
func (a *authority) client() (*http.Client, *big.Int) {
	roots, serial := x509.NewCertPool(), new(big.Int)
	roots.AddCert(a.cert)
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: roots, VerifyConnection: func(s tls.ConnectionState) error {
			serial.Set(s.PeerCertificates[0].SerialNumber)
			return nil
		}},
	}}, serial
}

// TestNetworkOf: 0.0.0.0 opens what it says and no more.
func TestNetworkOf(t *testing.T) {
	for addr, want := range map[string]string{"0.0.0.0:80": "tcp4", "127.0.0.1:80": "tcp4", "[::]:80": "tcp", ":80": "tcp", "localhost:80": "tcp", "[::ffff:1.2.3.4]:80": "tcp", "odd": "tcp"} {
		require.Equal(t, want, networkOf(addr), addr)
	}
}

// TestTakenAddress: what cannot be listened on is told with what to do.
func TestTakenAddress(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	for addr, next := range map[string]string{l.Addr().String(): "stop what uses it", "192.0.2.1:80": "an address of this computer", "8765": "write --addr like"} {
		e := &examination{&doctorCmd{}, nil}
		e.Addr = addr
		found := lookAddress(t.Context(), e)
		require.Equal(t, broken, found[0].Verdict, addr)
		require.Contains(t, found[0].Next, next, addr)
	}
}

// TestTLS: an official client over HTTPS with a certificate that it verifies;
// a new certificate is taken up while the server runs, half of one is not.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	issuer := newAuthority(t)
	cert, key := issuer.issue(dir, 7, time.Now().Add(time.Hour))
	address := served(t, "--tls-cert", cert, "--tls-key", key)
	require.Contains(t, address, "https://")
	trusting, serial := issuer.client()
	client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0), option.WithHTTPClient(trusting))
	list := func() int64 {
		_, err := client.Files.List(t.Context(), openai.FileListParams{})
		require.NoError(t, err)
		return serial.Int64()
	}
	require.EqualValues(t, 7, list())

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/healthz", http.NoBody)
	require.NoError(t, err)
	resp, err := trusting.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 2, resp.ProtoMajor)

	stranger := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
	_, err = stranger.Files.List(t.Context(), openai.FileListParams{})
	require.ErrorAs(t, err, new(*tls.CertificateVerificationError))

	require.NoError(t, os.WriteFile(key, []byte("half of it"), 0o600))
	time.Sleep(renewal)
	require.EqualValues(t, 7, list(), "what cannot be used leaves the old one in force")
	issuer.issue(dir, 8, time.Now().Add(time.Hour))
	require.Eventually(t, func() bool { return list() == 8 }, waitFor, 50*time.Millisecond)
}

// TestCertificateCheck is what inlay doctor says of certificates.
func TestCertificateCheck(t *testing.T) {
	issuer := newAuthority(t)
	now := time.Now()
	for name, c := range map[string]struct {
		until, at time.Time
		want      verdict
		says      string
	}{
		"good":    {now.Add(60 * 24 * time.Hour), now, good, "for localhost, 127.0.0.1, until"},
		"ending":  {now.Add(24 * time.Hour), now, worry, "ends on"},
		"ended":   {now.Add(-time.Hour), now, broken, "ended on"},
		"unbegun": {now.Add(time.Hour), now.Add(-100 * time.Hour), broken, "begins only on"},
	} {
		t.Run(name, func(t *testing.T) {
			cert, key := issuer.issue(t.TempDir(), 1, c.until)
			pair, err := tls.LoadX509KeyPair(cert, key)
			require.NoError(t, err)
			found := lookCertificate(pair.Leaf, c.at)
			require.Equal(t, c.want, found[0].Verdict)
			require.Contains(t, found[0].Found, c.says)
		})
	}
	cert, _ := issuer.issue(t.TempDir(), 1, now)
	_, key := issuer.issue(t.TempDir(), 2, now)
	e := &examination{&doctorCmd{}, nil}
	e.TLSCert, e.TLSKey = cert, key
	found := lookTLS(t.Context(), e)
	require.Equal(t, broken, found[0].Verdict)
	require.Contains(t, found[0].Found, "private key does not match public key")
}
