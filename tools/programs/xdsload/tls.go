package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

type tlsFlags struct{ ca, cert, key *string }

func addTLSFlags(fs *flag.FlagSet) tlsFlags {
	return tlsFlags{
		fs.String("tls-ca", "", "speak TLS with a server whose certificate is of this CA; else plaintext"),
		fs.String("tls-cert", "", "the client's own certificate"),
		fs.String("tls-key", "", "and its key"),
	}
}

func (f tlsFlags) credentials() credentials.TransportCredentials {
	if *f.ca == "" {
		return insecure.NewCredentials()
	}
	b, err := os.ReadFile(*f.ca)
	die(err)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		die(fmt.Errorf("no certificate in %s", *f.ca))
	}
	c := &tls.Config{RootCAs: pool}
	if *f.cert != "" {
		pair, err := tls.LoadX509KeyPair(*f.cert, *f.key)
		die(err)
		c.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(c)
}

// cmdCerts writes ca.crt, and .crt and .key of server and client: valid for a day, the client as a workload of a mesh.
func cmdCerts(args []string) {
	fs := flag.NewFlagSet("certs", flag.ExitOnError)
	out := fs.String("out", ".", "folder")
	identity := fs.String("identity", "spiffe://cluster.local/ns/bench/sa/default", "who the client is")
	fs.Parse(args)
	id, err := url.Parse(*identity)
	die(err)
	newKey := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		die(err)
		return k
	}
	write := func(name, kind string, der []byte) {
		die(os.WriteFile(filepath.Join(*out, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	serial := int64(0)
	template := func(name string) *x509.Certificate {
		serial++
		return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	}
	ca, caKey := template("bench-ca"), newKey()
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage, ca.ExtKeyUsage = true, true, x509.KeyUsageCertSign, nil
	sign := func(c *x509.Certificate, k *ecdsa.PrivateKey) []byte {
		der, err := x509.CreateCertificate(rand.Reader, c, ca, &k.PublicKey, caKey)
		die(err)
		return der
	}
	write("ca.crt", "CERTIFICATE", sign(ca, caKey))
	server, client := template("server"), template("client")
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	client.URIs = []*url.URL{id}
	for _, c := range []*x509.Certificate{server, client} {
		k := newKey()
		der, err := x509.MarshalPKCS8PrivateKey(k)
		die(err)
		write(c.Subject.CommonName+".crt", "CERTIFICATE", sign(c, k))
		write(c.Subject.CommonName+".key", "PRIVATE KEY", der)
	}
}
