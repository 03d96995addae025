package broker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// certName is the name in the embedded server's certificate. Hosts get the certificate when they join and trust no
// other one, so the name of the machine does not matter.
const certName = "taproot-farm"

// certificate reads the certificate in a folder, or makes one for thirty years. Hosts pin it, so it is used as long as
// the farm exists; if an operator removes it, hosts request the new one. It is in the folder of the keys, of which
// operators make backups.
func certificate(dir string) (tls.Certificate, string, error) {
	certFile, keyFile := filepath.Join(dir, "keys", "cert.pem"), filepath.Join(dir, "keys", "cert.key")
	text, err := os.ReadFile(certFile)
	_, gone := os.Stat(keyFile)
	if errors.Is(err, fs.ErrNotExist) && gone == nil { // older versions wrote it one folder above
		if text, err = os.ReadFile(filepath.Join(dir, "cert.pem")); err == nil {
			err = writePrivate(certFile, text)
		}
	}
	if errors.Is(gone, fs.ErrNotExist) {
		err = gone
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeCertificate(certFile, keyFile); err != nil {
			return tls.Certificate{}, "", fmt.Errorf("make the certificate: %w", err)
		}
		text, err = os.ReadFile(certFile)
	}
	if err != nil {
		return tls.Certificate{}, "", err
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	return pair, string(text), err
}

func makeCertificate(certFile, keyFile string) error {
	if err := os.MkdirAll(filepath.Dir(keyFile), 0o700); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	began := time.Now().Add(-24 * time.Hour) // the clocks of hosts may be slow
	of := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: certName}, DNSNames: []string{certName},
		NotBefore: began, NotAfter: began.AddDate(30, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageServerAuth}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePrivate(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})); err != nil {
		return err
	}
	return writePrivate(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func serverTLS(cert tls.Certificate) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}}
}
